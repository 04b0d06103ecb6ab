/** Reads `text/event-stream` answers: yields the parsed `data` of each event until the stream or the signal ends it. */
export async function* readEvents<Event>(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true })
    const blocks = pending.split('\n\n')
    pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
      if (data.length > 0) yield JSON.parse(data.join('\n')) as Event
    }
  }
}
