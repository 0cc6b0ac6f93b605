/** The filter's decisions, by running its program as the kernel would. */
import { describe, expect, it } from 'vitest'
import { type Architecture, seccompProgram } from './seccomp.ts'

const [allow, kill] = [0x7fff0000, 0x80000000]
const refuse = (errno: number) => 0x00050000 + errno
const audit = { x64: 0xc000003e, arm64: 0xc00000b7 }

function decide(
  architecture: Architecture,
  number: number,
  argument = 0,
  arch = audit[architecture],
): number {
  const program = seccompProgram(architecture)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(arch, 4)
  data.writeUInt32LE(argument >>> 0, 16)
  let value = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8)
    const [ifTrue, ifFalse] = [program[at * 8 + 2]!, program[at * 8 + 3]!]
    const operand = program.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean) => {
      at += holds ? ifTrue : ifFalse
    }
    if (code === 0x20) value = data.readUInt32LE(operand)
    else if (code === 0x15) jump(value === operand)
    else if (code === 0x35) jump(value >= operand)
    else if (code === 0x45) jump((value & operand) !== 0)
    else if (code === 0x06) return operand
    else throw new Error(`instruction ${code}`)
  }
  throw new Error('the program has no end')
}

describe('the system call filter', () => {
  it.each([
    [
      'x64',
      {
        read: 0,
        clone: 56,
        clone3: 435,
        socket: 41,
        mount: 165,
        unshare: 272,
        bpf: 321,
        chroot: 161,
        getfd: 438,
      },
    ],
    [
      'arm64',
      {
        read: 63,
        clone: 220,
        clone3: 435,
        socket: 198,
        mount: 40,
        unshare: 97,
        bpf: 280,
        chroot: 51,
        getfd: 438,
      },
    ],
  ] as const)('lets a program on %s work and keeps it from the kernel', (architecture, call) => {
    expect(decide(architecture, call.read)).toBe(allow)
    for (const number of [call.mount, call.unshare, call.bpf, call.chroot, call.getfd])
      expect(decide(architecture, number)).toBe(refuse(1))
    expect(decide(architecture, call.clone3)).toBe(refuse(38))
    expect(decide(architecture, call.clone, 0x003d0f00)).toBe(allow)
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
      expect(decide(architecture, call.clone, flag | 17)).toBe(refuse(1))
    for (const family of [1, 2, 10, 16]) expect(decide(architecture, call.socket, family)).toBe(allow)
    for (const family of [17, 38, 40, 44]) expect(decide(architecture, call.socket, family)).toBe(refuse(97))
  })

  it('ends a call of another architecture, and knows no 32-bit interface', () => {
    expect(decide('x64', 0, 0, 0x40000003)).toBe(kill)
    expect(decide('arm64', 0, 0, audit.x64)).toBe(kill)
    expect(decide('x64', 0x40000000 + 165)).toBe(refuse(38))
  })
})
