import { readFileSync } from 'node:fs'
import { OperatorError } from '@hearth/runtime'
import { CaptureError, parseCapture, type CapturedFrame } from '../recorder/flight-recorder.ts'
import type { Reply } from './transmissions.ts'

/** Answers that were recorded once. */
export type Replay = ReturnType<typeof openReplay>

/** Reads a capture of the flight recorder. Throws an `OperatorError` that names the first line it cannot read. */
export function openReplay(file: string) {
  const answers = new Map<string, Reply[]>()
  const key = (address: number | undefined, objectId: number) => `${address ?? ''} ${objectId}`
  for (const frame of readCapture(file)) {
    if (frame.direction !== 'received' || !frame.command.endsWith('response')) continue
    const place = key(frame.address ?? undefined, Number(frame.object_id))
    const answer = { payload: Buffer.from(frame.payload, 'hex'), isLong: frame.command === 'long-response' }
    answers.set(place, [...(answers.get(place) ?? []), answer])
  }
  return {
    /** Returns the next recorded answer for an object, round and round; undefined when there is none. */
    next(address: number | undefined, objectId: number): Reply | undefined {
      const list = answers.get(key(address, objectId))
      const answer = list?.shift()
      if (answer !== undefined) list?.push(answer)
      return answer
    },
  }
}

function readCapture(file: string): CapturedFrame[] {
  const text = readFileSync(file, 'utf8')
  try {
    return parseCapture(text)
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error
    throw new OperatorError(`--replay: ${file}, line ${error.line} is not a recorded frame`, { cause: error })
  }
}
