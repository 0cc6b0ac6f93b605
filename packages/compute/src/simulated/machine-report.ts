/**
 * What the commands about processor, memory, disk and processes print. One idle machine: every figure is made from
 * the facts alone, so that `free`, `top` and `htop` never disagree.
 */
import { listingTime, loadAverage, processStart, uptimeLine } from './clock-text.ts'
import type { MachineFacts } from './facts.ts'
import { diskUsedGib, memory } from './figures.ts'

const processes = [
  { pid: 1, mib: 1, tty: '?', stat: 'Ss', command: '/sbin/docker-init -- sleep infinity' },
  { pid: 7, mib: 1, tty: '?', stat: 'S', command: 'sleep infinity' },
  { pid: 12, mib: 7, tty: '?', stat: 'Ss', command: '/usr/sbin/sshd -D' },
  { pid: 31, mib: 5, tty: 'pts/0', stat: 'Ss', command: '-bash' },
] as const

export function df(facts: MachineFacts): string[] {
  const used = diskUsedGib(facts)
  const percent = `${Math.ceil((used / facts.storageGb) * 100)}%`
  return table([
    ['Filesystem', 'Size', 'Used', 'Avail', 'Use%', 'Mounted on'],
    ['overlay', size(facts.storageGb), size(used), size(facts.storageGb - used), percent, '/'],
    ['tmpfs', '64M', '0', '64M', '0%', '/dev'],
    ['shm', size(facts.memoryGb / 2), '0', size(facts.memoryGb / 2), '0%', '/dev/shm'],
  ])
}

export function free(facts: MachineFacts): string[] {
  const { total, used, free, shared, cache, available } = memory(facts)
  const rows = [
    ['', 'total', 'used', 'free', 'shared', 'buff/cache', 'available'],
    ['Mem:', ...[total, used, free, shared, cache, available].map(binary)],
    ['Swap:', '0B', '0B', '0B'],
  ]
  return rows.map(([label, ...cells]) => label!.padEnd(8) + cells.map(cell => cell.padStart(12)).join(''))
}

export function lscpu(facts: MachineFacts): string[] {
  const fields = {
    Architecture: 'x86_64',
    'CPU op-mode(s)': '32-bit, 64-bit',
    'Byte Order': 'Little Endian',
    'CPU(s)': String(facts.cpuCores),
    'On-line CPU(s) list': facts.cpuCores === 1 ? '0' : `0-${facts.cpuCores - 1}`,
    'Vendor ID': 'AuthenticAMD',
    'Model name': 'AMD EPYC 7543 (simulated)',
    'Thread(s) per core': '1',
    'Core(s) per socket': String(facts.cpuCores),
    'Socket(s)': '1',
    'CPU MHz': '2794.748',
    'Hypervisor vendor': 'KVM',
    'Virtualization type': 'full',
  }
  return Object.entries(fields).map(([name, text]) => `${`${name}:`.padEnd(25)}${text}`)
}

export function top(facts: MachineFacts, nowMs: number): string[] {
  const { total, used, free, cache, available } = memory(facts)
  const cores = Array.from(
    { length: facts.cpuCores },
    (_, core) => `%Cpu${String(core).padEnd(3)}:  0.3 us,  0.2 sy, 99.5 id`,
  )
  return [
    `top - ${uptimeLine(facts.startedAtMs, nowMs)}`,
    `Tasks: ${String(processes.length + 1).padStart(3)} total,   1 running, ${String(processes.length).padStart(3)} sleeping,   0 stopped,   0 zombie`,
    ...Array.from({ length: Math.ceil(cores.length / 2) }, (_, row) =>
      cores.slice(row * 2, row * 2 + 2).join('   '),
    ),
    `MiB Mem :${mib(total)} total,${mib(free)} free,${mib(used)} used,${mib(cache)} buff/cache`,
    `MiB Swap:${mib(0)} total,${mib(0)} free,${mib(0)} used.${mib(available)} avail Mem`,
    '',
    ...processTable(facts, 'top'),
    '',
    snapshot('top'),
  ]
}

export function htop(facts: MachineFacts, nowMs: number): string[] {
  const { total, used } = memory(facts)
  const cores = Array.from({ length: facts.cpuCores }, (_, core) => gauge(String(core), 0.02, '0.5%'))
  const rows = Math.ceil(cores.length / 2)
  return [
    ...Array.from({ length: rows }, (_, row) => [cores[row], cores[row + rows]].filter(Boolean).join('  ')),
    gauge('Mem', used / total, `${binary(used)}/${binary(total)}`),
    gauge('Swp', 0, '0K/0K'),
    `  Tasks: ${processes.length + 1}, 1 running`,
    `  Load average: ${loadAverage.join(' ')}`,
    `  Up since ${listingTime(facts.startedAtMs)}; now ${listingTime(nowMs)}`,
    '',
    ...processTable(facts, 'htop'),
    '',
    snapshot('htop'),
  ]
}

export function ps(facts: MachineFacts, nowMs: number): string[] {
  const total = memory(facts).total
  const rows = [...processes, { pid: 58, mib: 3, tty: 'pts/0', stat: 'R+', command: 'ps aux' }]
  return [
    'USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND',
    ...rows.map(({ pid, mib, tty, stat, command }) => {
      const share = ((mib / total) * 100).toFixed(1)
      const started = processStart(stat === 'R+' ? nowMs : facts.startedAtMs, nowMs)
      const sizes = `${String(mib * 4_096).padStart(6)} ${String(mib * 1_024).padStart(5)}`
      return `root     ${String(pid).padStart(7)}  0.0 ${share.padStart(4)} ${sizes} ${tty.padEnd(8)} ${stat.padEnd(4)} ${started}   0:00 ${command}`
    }),
  ]
}

function processTable(facts: MachineFacts, self: string): string[] {
  const total = memory(facts).total
  const rows = [{ pid: 57, mib: 4, stat: 'R', command: self }, ...processes]
  return [
    '    PID USER      PR  NI    VIRT    RES S  %CPU  %MEM     TIME+ COMMAND',
    ...rows.map(({ pid, mib, stat, command }) => {
      const share = ((mib / total) * 100).toFixed(1)
      const sizes = `${String(mib * 4_096).padStart(7)} ${String(mib * 1_024).padStart(6)}`
      return `${String(pid).padStart(7)} root      20   0 ${sizes} ${stat.charAt(0)}   0.0 ${share.padStart(5)}   0:00.01 ${command}`
    }),
  ]
}

const mib = (amount: number) => amount.toFixed(1).padStart(9)

/** `  Mem[||||     2.8Gi/240Gi]` */
function gauge(label: string, share: number, text: string): string {
  const width = 30 - text.length
  return `${label.padStart(5)}[${'|'.repeat(Math.round(share * width)).padEnd(width)}${text}]`
}

const snapshot = (command: string) => `One snapshot. Type ${command} again for the next.`

/** GiB as `df -h` writes it. */
function size(gib: number): string {
  if (gib < 1) return `${Math.ceil(gib * 1_024)}M`
  return gib < 10 && !Number.isInteger(gib) ? `${gib.toFixed(1)}G` : `${Math.ceil(gib)}G`
}

/** MiB as `free -h` writes it. */
function binary(mib: number): string {
  if (mib < 1_024) return `${mib}Mi`
  const gib = mib / 1_024
  return gib < 10 && !Number.isInteger(gib) ? `${gib.toFixed(1)}Gi` : `${Math.round(gib)}Gi`
}

/** Columns as wide as their widest cell; the first and last to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row =>
    row
      .map((cell, column) => {
        if (column === row.length - 1) return cell
        return column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
      })
      .join('  '),
  )
}
