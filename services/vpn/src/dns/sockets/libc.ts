import type { WrappedFunctionsFromDefinitions } from 'node:ffi'
import { getSystemErrorName } from 'node:util'

const i = 'i32'
const u = 'u32'
const p = 'pointer'

/** The calls that the resolver makes; glibc and musl have all of them. */
const definitions = {
  socket: { arguments: [i, i, i], return: i },
  bind: { arguments: [i, p, u], return: i },
  connect: { arguments: [i, p, u], return: i },
  close: { arguments: [i], return: i },
  setsockopt: { arguments: [i, i, i, p, u], return: i },
  getsockname: { arguments: [i, p, p], return: i },
  recvmmsg: { arguments: [i, p, u, i, p], return: i },
  sendmmsg: { arguments: [i, p, u, i], return: i },
  epoll_create1: { arguments: [i], return: i },
  epoll_ctl: { arguments: [i, i, i, p], return: i },
  epoll_wait: { arguments: [i, p, i, i], return: i },
  poll: { arguments: [p, 'u64', i], return: i },
  syscall: { arguments: ['i64', i, p, u, u], return: 'i64' },
  madvise: { arguments: ['u64', 'u64', i], return: i },
  if_nametoindex: { arguments: [p], return: u },
  __errno_location: { arguments: [], return: p },
} as const

/** The system's C library, callable. */
export interface Libc {
  readonly call: WrappedFunctionsFromDefinitions<typeof definitions>
  /** Returns the address of `bytes`. Only for bytes of `fixedBytes`, and only while they are referenced. */
  pointerTo(bytes: Uint8Array): bigint
  /** `errno` of the last call that returned -1. */
  errno(): number
}

/** A call the system refused; `code` is its name, such as `EADDRNOTAVAIL`. */
export class SystemFault extends Error {
  override readonly name = 'SystemFault'
  readonly code: string

  constructor(call: string, errno: number) {
    const code = getSystemErrorName(-errno)
    super(`${call} failed: ${code}`)
    this.code = code
  }
}

/** The name the C library has with glibc, then with musl on both machines; at last whatever this program is linked with. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1', null]

/**
 * Opens the C library through `node:ffi`. Throws an `Error` that says in words why not: another platform, FFI switched off, no
 * such library.
 */
export async function openLibc(): Promise<Libc> {
  if (process.platform !== 'linux') throw new Error(`batched system calls are Linux's, this is ${process.platform}`)
  if (process.arch !== 'x64' && process.arch !== 'arm64') throw new Error(`no struct layouts for ${process.arch}`)
  const ffi = await import('node:ffi').catch(() => {
    throw new Error('this Node has no FFI, or it is switched off')
  })
  for (const name of libraryNames) {
    try {
      const call = ffi.dlopen(name, definitions).functions
      return {
        call,
        pointerTo: (bytes) => ffi.getRawPointer(bytes),
        errno: () => ffi.getInt32(call.__errno_location()),
      }
    } catch {
      // The next name.
    }
  }
  throw new Error('the C library was not found')
}

/** Passes a call's result on; throws a `SystemFault` when it is negative. */
export function check(libc: Libc, call: string, result: number): number {
  if (result < 0) throw new SystemFault(call, libc.errno())
  return result
}
