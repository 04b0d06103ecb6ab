import { Type } from '../wire/codes.ts'
import { Name, readName, skipName } from '../wire/name.ts'
import { RecordReader } from '../wire/record-reader.ts'

const headerBytes = 12
const maxAddresses = 32
/** More bytes than any parameter has: a step over what holds no addresses. */
const longest = 65_536

/** The addresses in an answer: of its A and AAAA records and of the hints of HTTPS and SVCB records, in their order. */
export function addressesOf(answer: Uint8Array): string[] {
  const addresses: string[] = []
  const start = skipName(answer, headerBytes, answer.length)
  if (start < 0) return addresses
  const record = new RecordReader()
  const target = new Name()
  record.open(answer, answer.length, start + 4)
  for (
    let left = (answer[6]! << 8) | answer[7]!;
    left > 0 && addresses.length < maxAddresses && record.next();
    left--
  ) {
    const { type, dataAt, dataEnd } = record
    const size = dataEnd - dataAt
    if ((type === Type.a && size === 4) || (type === Type.aaaa && size === 16))
      addresses.push(addressText(answer.subarray(dataAt, dataEnd)))
    if (type !== Type.https && type !== Type.svcb) continue
    const after = readName(target, answer, 0, dataEnd, dataAt + 2)
    if (after >= 0) addresses.push(...hintsOf(answer, after, dataEnd))
  }
  return addresses.slice(0, maxAddresses)
}

function hintsOf(answer: Uint8Array, from: number, to: number): string[] {
  const hints: string[] = []
  for (let at = from; at + 4 <= to;) {
    const key = (answer[at]! << 8) | answer[at + 1]!
    const end = Math.min(to, at + 4 + ((answer[at + 2]! << 8) | answer[at + 3]!))
    const size = key === 4 ? 4 : key === 6 ? 16 : longest
    for (let hint = at + 4; hint + size <= end; hint += size)
      hints.push(addressText(answer.subarray(hint, hint + size)))
    at = end
  }
  return hints
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, k) => ((bytes[2 * k]! << 8) | bytes[2 * k + 1]!).toString(16))
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}
