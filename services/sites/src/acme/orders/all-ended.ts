/** Waits until all have ended, also when some fail: none goes on behind the back of the next round. Then throws the first error. */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) if (end.status === 'rejected') throw end.reason
}
