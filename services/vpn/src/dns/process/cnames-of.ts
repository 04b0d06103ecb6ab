import { Type } from '../wire/codes.ts'
import { Name, readName, skipName, textOf } from '../wire/name.ts'
import { RecordReader } from '../wire/record-reader.ts'

const headerBytes = 12
const mostTargets = 32

/** The targets of the CNAME records in an answer, in their order, without final dots. */
export function cnamesOf(answer: Uint8Array): string[] {
  const targets: string[] = []
  const start = skipName(answer, headerBytes, answer.length)
  if (start < 0) return targets
  const record = new RecordReader()
  const name = new Name()
  record.open(answer, answer.length, start + 4)
  for (let left = (answer[6]! << 8) | answer[7]!; left > 0 && targets.length < mostTargets && record.next(); left--) {
    if (record.type !== Type.cname) continue
    if (readName(name, answer, 0, answer.length, record.dataAt) > 0) targets.push(textOf(name))
  }
  return targets
}
