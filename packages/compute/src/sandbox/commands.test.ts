/** What people type first, on whatever host this runs: every command answers with something sensible, none with nothing. */
import { beforeAll, describe, expect, it } from 'vitest'
import { designsHere, openShell, running, type Shell, useDriver, value } from './testing/sandbox.ts'

const missing = /the host has no \w+|neither htop nor top/

for (const design of designsHere)
  describe(`the shell of a machine by ${design}`, { timeout: 30_000 }, () => {
    const { driver } = useDriver(design)
    let shell: Shell

    beforeAll(async () => {
      const ref = await running(driver(), 'shell', {
        name: 'Trainer',
        gpuType: 'RTX 4090',
        gpuCount: 2,
        gpuMemoryGb: 24,
      })
      shell = await openShell(driver(), ref)
    })

    it('greets with root@name:/workspace#', async () => {
      const terminal = await openShell(driver(), 'shell', 'greeting')
      terminal.type('\r')
      expect(await terminal.until(/# $/)).toContain('root@trainer:/workspace# ')
    })

    it.each([
      ['pwd', /^\/workspace$/],
      ['whoami', /^root$/],
      ['echo $((6*7))', /^42$/],
      ['date', /UTC 20\d\d|20\d\d/],
      ['uptime', /up .*load average|up /],
      ['uname', /^Linux$/],
      ['uname -a', /^Linux trainer /],
      ['df -h', /Filesystem/],
      ['free -h', /Mem:/],
      ['lscpu', /Architecture:/],
      ['cat /etc/os-release', /NAME=/],
      ['python3 --version', /^Python 3/],
      ['which python3', /^\/usr\/bin\/python3$/],
      ['ps aux', /ps aux/],
      ['top -b -n1 | head -5', /Tasks:|top -/],
      ['cd / && pwd; cd - > /dev/null', /^\/$/],
      ['echo here > file; ls', /^file$/],
      ['ls -la', /total \d+[^]*file$/],
      ['help', /ls -la[^]*nvidia-smi/],
      ['help cd', /Change the shell working directory/],
      ['sudo whoami', /^root$/],
      ['sudo -u root env A=b printenv A', /^b$/],
    ])('%s', async (command, answer) => {
      const { output, code } = await shell.run(command)
      if (!missing.test(output)) {
        expect(output).toMatch(answer)
        expect(code).toBe(0)
      }
    })

    it.each([
      ['ping 8.8.8.8', /no network/],
      ['ping localhost', /TCP and UDP/],
      ['apt install vim', /can't be installed here/],
      ['systemctl status', /no service manager/],
      ['frobnicate', /frobnicate: command not found\nType help/],
      ['sudo -u nobody id', /no user nobody/],
    ])('%s says why not', async (command, answer) => {
      const { output, code } = await shell.run(command)
      expect(output).toMatch(answer)
      expect(code).not.toBe(0)
    })

    it('nvidia-smi shows what was rented and says that it is simulated', async () => {
      const table = (await shell.run('nvidia-smi')).output
      expect(table.match(/NVIDIA RTX 4090/g)).toHaveLength(2)
      expect(table).toMatch(/24576MiB/)
      expect(table).toMatch(/simulated/i)
      const widths = table
        .split('\n')
        .filter(line => line.startsWith('|'))
        .map(line => line.length)
      expect(new Set(widths).size).toBe(1)
      expect((await shell.run('nvidia-smi -L')).output).toMatch(/GPU 1: NVIDIA RTX 4090[^]*simulated/i)
      expect(
        (await shell.run('nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>&-')).output,
      ).toBe('NVIDIA RTX 4090, 24576 MiB\nNVIDIA RTX 4090, 24576 MiB')
    })

    it('has the programs of the host, whatever image its template names', async () => {
      const images = ['pytorch/pytorch:2.0.1-cuda11.7-cudnn8-devel', 'no/such-image:latest']
      const programs = await Promise.all(
        images.map(async (image, n) => {
          const other = await openShell(driver(), await running(driver(), `image-${n}`, { image }))
          return (await other.run('ls /usr/bin | cksum; python3 --version')).output
        }),
      )
      expect(programs[0]).toMatch(/Python 3/)
      expect(programs[1]).toBe(programs[0])
    })

    it('htop opens something that q closes, and clear clears', async () => {
      shell.type('htop\r')
      await shell.until(/Tasks|Mem|not installed|neither/)
      shell.type('q')
      await shell.until(/# $/)
      expect((await shell.run('clear')).code).toBe(0)
    })

    it('exit ends the terminal', async () => {
      const stream = await value(() => driver().attach('shell', 'leaving', { cols: 80, rows: 24 }))
      const ended = new Promise(resolve => {
        stream.once('end', resolve)
      })
      stream.resume().write('exit\r')
      await expect(ended).resolves.toBeUndefined()
    })
  })
