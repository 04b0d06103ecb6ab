/** Sets of system calls as systemd names them (`@network-io`), each with its calls and the sets inside it. */
export type CallSets = ReadonlyMap<string, readonly string[]>

/** Numbers of the calls and families of addresses that a filter lets through. */
export interface Allowed {
  readonly calls: readonly number[]
  readonly families: readonly number[]
}

const families: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 }

/** Reads what `systemd-analyze syscall-filter` prints. */
export function readCallSets(text: string): CallSets {
  const sets = new Map<string, string[]>()
  let current: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('@')) sets.set(line.trim(), (current = []))
    else if (/^ +[@\w]/.test(line)) current.push(line.trim())
  }
  return sets
}

/** Reads the numbers of the calls from the kernel's header `asm/unistd_64.h`. */
export function readCallNumbers(header: string): ReadonlyMap<string, number> {
  const lines = header.matchAll(/^#define __NR_(\w+) (\d+)$/gm)
  return new Map(Array.from(lines, ([, name = '', number]) => [name, Number(number)]))
}

/** What the lines `SystemCallFilter=` and `RestrictAddressFamilies=` of a unit let through, in the order in which systemd reads them. */
export function allowedBy(unit: string, sets: CallSets, numbers: ReadonlyMap<string, number>): Allowed {
  const calls = new Set<string>()
  for (const [, not, names = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm))
    for (const name of names.split(' ').flatMap((one) => membersOf(one, sets)))
      if (not === '~') calls.delete(name)
      else calls.add(name)
  // A filter that allows some always allows these.
  for (const name of membersOf('@default', sets)) calls.add(name)
  const words = /^RestrictAddressFamilies=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  return {
    calls: [...calls].flatMap((name) => numbers.get(name) ?? []).sort((a, b) => a - b),
    families: words.map((word) => families[word] ?? unknown(word)),
  }
}

function membersOf(name: string, sets: CallSets): string[] {
  if (!name.startsWith('@')) return [name]
  return (sets.get(name) ?? unknown(name)).flatMap((member) => membersOf(member, sets))
}

function unknown(name: string): never {
  throw new Error(`the trial does not know ${name} of the unit`)
}

/** Instructions of the kernel's packet filter, as `linux/bpf_common.h` numbers them. */
const operation = { load: 0x20, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, end: 0x06 } as const
const result = { allow: 0x7fff_0000, error: 0x0005_0000, kill: 0x8000_0000 } as const
const amd64 = 0xc000_003e
const call = { socket: 41, firstOfX32: 0x4000_0000 } as const
const errors = { notPermitted: 1, noSuchFamily: 97 } as const

/** A filter for `prctl(PR_SET_SECCOMP)` on amd64: other calls fail with EPERM, sockets of other families with EAFNOSUPPORT. */
export function filterProgram({ calls, families: allowed }: Allowed): Buffer {
  const code: Buffer[] = []
  const add = (what: number, value: number, [yes, no] = [0, 0]) => {
    const instruction = Buffer.alloc(8)
    instruction.writeUInt16LE(what, 0)
    instruction.writeUInt8(yes, 2)
    instruction.writeUInt8(no, 3)
    instruction.writeUInt32LE(value, 4)
    code.push(instruction)
  }
  const allowIfEqual = (value: number) => {
    add(operation.jumpIfEqual, value, [0, 1])
    add(operation.end, result.allow)
  }
  add(operation.load, 4)
  add(operation.jumpIfEqual, amd64, [1, 0])
  add(operation.end, result.kill)
  add(operation.load, 0)
  add(operation.jumpIfAtLeast, call.firstOfX32, [0, 1])
  add(operation.end, result.error + errors.notPermitted)
  add(operation.jumpIfEqual, call.socket, [0, 2 + 2 * allowed.length])
  add(operation.load, 16)
  for (const family of allowed) allowIfEqual(family)
  add(operation.end, result.error + errors.noSuchFamily)
  for (const number of calls) allowIfEqual(number)
  add(operation.end, result.error + errors.notPermitted)
  return Buffer.concat(code)
}
