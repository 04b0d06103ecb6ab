import { openLibc, type Libc } from '../dns/sockets/libc.ts'

/** The C library, or the reason why `dgram` is used. */
export async function chooseEngine(
  wanted: 'auto' | 'ffi' | 'dgram',
  isCautious: boolean,
): Promise<{ libc: Libc | undefined; engineReason: string }> {
  if (wanted === 'dgram') return { libc: undefined, engineReason: 'chosen in the settings' }
  if (isCautious && wanted === 'auto')
    return { libc: undefined, engineReason: 'batched system calls ended the process before' }
  try {
    const libc = await openLibc()
    return { libc, engineReason: wanted === 'ffi' ? 'chosen in the settings' : 'batched system calls work here' }
  } catch (error) {
    return { libc: undefined, engineReason: (error as Error).message }
  }
}
