/** One event as it stood in the stream. */
export interface StreamEvent {
  /** `message` when the stream names none. */
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/**
 * Reads a `text/event-stream` body: yields each event until the stream or its signal ends it. Comments and events without data
 * are left out, as browsers do; an event that the end of the stream cuts off too.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true })
    // A carriage return at the end may be half of a line end.
    const complete = pending.endsWith('\r') ? pending.slice(0, -1) : pending
    const blocks = complete.replaceAll(/\r\n?/g, '\n').split('\n\n')
    pending = (blocks.pop() ?? '') + pending.slice(complete.length)
    for (const block of blocks) {
      const event = parse(block)
      if (event !== undefined) yield event
    }
  }
}

/** As `readEventStream`, for streams whose `data` is JSON: yields that alone. */
export async function* readEvents<Event>(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  for await (const { data } of readEventStream(body)) yield JSON.parse(data) as Event
}

function parse(block: string): StreamEvent | undefined {
  const values = (field: string) =>
    block.split('\n').flatMap((line) => {
      if (line === field) return ['']
      if (!line.startsWith(`${field}:`)) return []
      const value = line.slice(field.length + 1)
      return [value.startsWith(' ') ? value.slice(1) : value]
    })
  const data = values('data')
  if (data.length === 0) return undefined
  return { event: values('event').at(-1) ?? 'message', id: values('id').at(-1), data: data.join('\n') }
}
