import { Name, readName, textOf } from '../src/dns/wire/name.ts'
import { wireName } from '../src/dns/wire/wire-name.ts'

/** A record to put into a message; `data` is a name for CNAME, NS and PTR, otherwise bytes. */
export interface TestRecord {
  readonly name: string
  readonly type: number
  readonly ttl: number
  readonly data: string | Uint8Array
}

/** Content of a message; names are dotted, without a final dot. */
export interface TestMessage {
  readonly id?: number
  readonly flags?: number
  readonly name?: string
  readonly type?: number
  readonly class?: number
  readonly answers?: readonly TestRecord[]
  readonly authorities?: readonly TestRecord[]
  readonly additionals?: readonly TestRecord[]
  /** EDNS: UDP size and DO. */
  readonly edns?: { readonly size: number; readonly do?: boolean; readonly version?: number } | undefined
}

export const T = {
  a: 1,
  ns: 2,
  cname: 5,
  soa: 6,
  hinfo: 13,
  mx: 15,
  txt: 16,
  aaaa: 28,
  opt: 41,
  https: 65,
  any: 255,
} as const

/** A name as written, its letters' case kept. */
function encodeName(text: string): number[] {
  if (text === '') return [0]
  const wire = wireName(text)
  if (wire === undefined) throw new Error(`no name: ${text}`)
  const written = new TextEncoder().encode(text)
  return [...wire].map((byte, k) =>
    k > 0 && k <= written.length && (byte | 32) === (written[k - 1]! | 32) && byte > 63 ? written[k - 1]! : byte,
  )
}

const two = (value: number): number[] => [(value >> 8) & 255, value & 255]
const four = (value: number): number[] => [...two(value >>> 16), ...two(value & 0xffff)]

function encodeRecord(record: TestRecord): number[] {
  const data = typeof record.data === 'string' ? encodeName(record.data) : [...record.data]
  return [...encodeName(record.name), ...two(record.type), 0, 1, ...four(record.ttl), ...two(data.length), ...data]
}

/** Writes a message without compression. */
export function encodeMessage(message: TestMessage): Uint8Array {
  const { answers = [], authorities = [], additionals = [], edns } = message
  const counts = [answers.length, authorities.length, additionals.length + (edns === undefined ? 0 : 1)]
  return Uint8Array.from([
    ...two(message.id ?? 0x1234),
    ...two(message.flags ?? 0x0100),
    ...two(message.name === undefined ? 0 : 1),
    ...counts.flatMap(two),
    ...(message.name === undefined
      ? []
      : [...encodeName(message.name), ...two(message.type ?? T.a), ...two(message.class ?? 1)]),
    ...[...answers, ...authorities, ...additionals].flatMap(encodeRecord),
    ...(edns === undefined
      ? []
      : [0, 0, 41, ...two(edns.size), 0, edns.version ?? 0, edns.do === true ? 128 : 0, 0, 0, 0]),
  ])
}

/** An SOA record's data with this minimum. */
export const soaData = (minimum: number): Uint8Array =>
  Uint8Array.from([
    ...encodeName('ns.example'),
    ...encodeName('admin.example'),
    ...new Uint8Array(16),
    ...four(minimum),
  ])

/** A record as it was read; names in CNAME and the like as text. */
export interface ReadRecord {
  readonly name: string
  readonly type: number
  readonly class: number
  readonly ttl: number
  readonly data: string
}

/** A message, read by a plain decoder of its own that throws at anything odd. */
export interface ReadMessage {
  readonly id: number
  readonly flags: number
  readonly rcode: number
  readonly name: string | undefined
  readonly type: number
  readonly answers: readonly ReadRecord[]
  readonly authorities: readonly ReadRecord[]
  readonly additionals: readonly ReadRecord[]
  /** Of OPT, when there is one. */
  readonly edns:
    | {
        readonly size: number
        readonly do: boolean
        readonly rcode: number
        readonly errors: readonly { code: number; text: string }[]
      }
    | undefined
}

/** Reads a whole message; names keep their case. */
export function decodeMessage(m: Uint8Array): ReadMessage {
  const view = new DataView(m.buffer, m.byteOffset, m.byteLength)
  let at = 12
  const name = view.getUint16(4) === 1 ? nameAt(m, at) : undefined
  if (name !== undefined) at = name.after + 4
  const type = name === undefined ? 0 : view.getUint16(name.after)
  let edns: ReadMessage['edns']
  const section = (count: number): ReadRecord[] => {
    const records: ReadRecord[] = []
    for (let k = 0; k < count; k++) {
      const owner = nameAt(m, at)
      const head = owner.after
      const size = view.getUint16(head + 8)
      const start = head + 10
      if (start + size > m.length) throw new Error('a record goes over the end')
      at = start + size
      const kind = view.getUint16(head)
      if (kind === 41) {
        edns = {
          size: view.getUint16(head + 2),
          do: (m[head + 6]! & 128) !== 0,
          rcode: m[head + 4]!,
          errors: optionsOf(m.subarray(start, at)),
        }
        continue
      }
      const isName = [2, 5, 12].includes(kind)
      const data = isName ? nameAt(m, start).text : Buffer.from(m.subarray(start, at)).toString('hex')
      records.push({
        name: owner.text,
        type: kind,
        class: view.getUint16(head + 2),
        ttl: view.getUint32(head + 4),
        data,
      })
    }
    return records
  }
  const answers = section(view.getUint16(6))
  const authorities = section(view.getUint16(8))
  const additionals = section(view.getUint16(10))
  if (at !== m.length) throw new Error(`${m.length - at} bytes too many`)
  return {
    id: view.getUint16(0),
    flags: view.getUint16(2),
    rcode: m[3]! & 15,
    name: name?.text,
    type,
    answers,
    authorities,
    additionals,
    edns,
  }
}

function optionsOf(data: Uint8Array): { code: number; text: string }[] {
  const errors: { code: number; text: string }[] = []
  for (let at = 0; at < data.length;) {
    const size = (data[at + 2]! << 8) | data[at + 3]!
    if (data[at] === 0 && data[at + 1] === 15) {
      errors.push({
        code: data[at + 4]! * 256 + data[at + 5]!,
        text: new TextDecoder().decode(data.subarray(at + 6, at + 4 + size)),
      })
    }
    at += 4 + size
  }
  return errors
}

function nameAt(m: Uint8Array, start: number): { text: string; after: number } {
  const labels: string[] = []
  let at = start
  let after = -1
  for (let jumps = 0; ;) {
    const size = m[at]
    if (size === undefined || jumps > 60) throw new Error('a name goes over the end')
    if (size === 0) break
    if (size >= 192) {
      if (after < 0) after = at + 2
      at = ((size & 63) << 8) | m[at + 1]!
      jumps += 1
      continue
    }
    labels.push(Buffer.from(m.subarray(at + 1, at + 1 + size)).toString('latin1'))
    at += size + 1
  }
  return { text: labels.join('.'), after: after < 0 ? at + 1 : after }
}

/** A name as the decider takes it. */
export function nameOf(text: string): Name {
  const name = new Name()
  const message = Uint8Array.from([...new Uint8Array(12), ...encodeName(text)])
  if (readName(name, message, 0, message.length, 12) < 0 || textOf(name) === undefined)
    throw new Error(`no name: ${text}`)
  return name
}
