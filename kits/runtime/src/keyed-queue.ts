/** A queue per key for work that must not overlap. */
export interface KeyedQueue {
  /** Runs `work` when everything given earlier under the same key has ended. Rejects at once when the queue is full. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>
}

/** The queue of one key is full; the caller may try again later. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/** A queue that runs one piece of work a key at a time, at most `bound` waiting behind it. */
export function createKeyedQueue(bound: number): KeyedQueue {
  const lines = new Map<string, { tail: Promise<unknown>; length: number }>()

  async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = lines.get(key) ?? { tail: Promise.resolve(), length: 0 }
    if (line.length > bound) throw new QueueFull(`more than ${bound} changes are waiting for ${key}`)
    line.length += 1
    lines.set(key, line)
    const result = line.tail.then(work)
    line.tail = result.catch(() => undefined)
    try {
      return await result
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(key)
    }
  }

  async function idle(): Promise<void> {
    while (lines.size > 0) await Promise.all([...lines.values()].map((line) => line.tail))
  }

  return { run, idle }
}
