/** Ends a transaction, or another change, that leaves nothing behind. */
export class LeftNothing extends Error {}

/** Does the work; returns undefined when it left nothing behind. */
export async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LeftNothing) return undefined
    throw error
  }
}
