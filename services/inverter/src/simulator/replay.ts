import { readFileSync } from 'node:fs'
import { OperatorError } from '@hearth/runtime'
import { z } from 'zod'

/** Answers that were recorded once. */
export interface Replay {
  /** The next recorded answer for an object, round and round; undefined when there is none. */
  next(address: number | undefined, objectId: number): { payload: Uint8Array; isLong: boolean } | undefined
}

const Line = z.object({
  direction: z.enum(['sent', 'received']),
  command: z.string(),
  address: z.number().nullable(),
  object_id: z.string().regex(/^(0x)?[0-9a-f]{8}$/i),
  payload: z.string().regex(/^(?:[0-9a-f]{2})*$/i),
})

/** Reads a capture of the flight recorder. Throws an `OperatorError` that names the first line it cannot read. */
export function openReplay(file: string): Replay {
  const answers = new Map<string, { payload: Uint8Array; isLong: boolean }[]>()
  const key = (address: number | undefined, objectId: number) => `${address ?? ''} ${objectId}`
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (text.trim() === '') continue
    const line = readLine(text, `${file}, line ${index + 1}`)
    if (line.direction !== 'received' || !line.command.endsWith('response')) continue
    const place = key(line.address ?? undefined, Number.parseInt(line.object_id.replace(/^0x/i, ''), 16))
    const answer = { payload: Buffer.from(line.payload, 'hex'), isLong: line.command === 'long-response' }
    answers.set(place, [...(answers.get(place) ?? []), answer])
  }
  return {
    next(address, objectId) {
      const list = answers.get(key(address, objectId))
      const answer = list?.shift()
      if (answer !== undefined) list?.push(answer)
      return answer
    },
  }
}

function readLine(text: string, place: string): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text))
  } catch (error) {
    throw new OperatorError(`--replay: ${place} is not a recorded frame`, { cause: error })
  }
}
