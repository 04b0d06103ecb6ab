import { createHmac, timingSafeEqual } from 'node:crypto'

/** Hash functions of TSIG keys. */
export const tsigAlgorithms = ['hmac-sha256', 'hmac-sha512', 'hmac-sha384', 'hmac-sha224', 'hmac-sha1'] as const

/** A key shared with a name server (RFC 8945). */
export interface TsigKey {
  readonly name: string
  readonly algorithm: (typeof tsigAlgorithms)[number]
  readonly secret: Uint8Array
}

/** A change of one TXT record. */
export interface TxtUpdate {
  readonly action: 'add' | 'remove'
  readonly zone: string
  readonly name: string
  readonly value: string
  /** Seconds that resolvers may keep it. */
  readonly ttl: number
}

const types = { soa: 6, txt: 16, tsig: 250 } as const
const classes = { in: 1, none: 254, any: 255 } as const
/** Seconds by which the clocks of both sides may differ. */
const fudge = 300

/** A name in wire format, without compression and in lower case, as signatures need it. */
export function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  const parts = labels.flatMap((label) => {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length === 0 || bytes.length > 63) throw new RangeError(`${name.slice(0, 255)} is no DNS name`)
    return [Buffer.from([bytes.length]), bytes]
  })
  return Buffer.concat([...parts, Buffer.from([0])])
}

const u16 = (...values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])))
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
/** Seconds since the epoch in 48 bits. */
const u48 = (value: number): Buffer => Buffer.concat([u16(Math.floor(value / 2 ** 32)), u32(value >>> 0)])

/** Encodes an update (RFC 2136) of one TXT record. */
export function encodeUpdate(id: number, { action, zone, name, value, ttl }: TxtUpdate): Buffer {
  const text = Buffer.from(value, 'latin1')
  const data = Buffer.concat([Buffer.from([text.length]), text])
  const [class_, time] = action === 'add' ? [classes.in, ttl] : [classes.none, 0]
  const update = 5 << 11
  return Buffer.concat([
    u16(id, update, 1, 0, 1, 0),
    encodeName(zone),
    u16(types.soa, classes.in),
    encodeName(name),
    u16(types.txt, class_),
    u32(time),
    u16(data.length),
    data,
  ])
}

/** Signs a message. Returns it with its TSIG record, and the MAC that the answer is bound to. */
export function signMessage(message: Buffer, key: TsigKey, seconds: number): { signed: Buffer; mac: Buffer } {
  const algorithm = encodeName(key.algorithm)
  const time = Buffer.concat([u48(seconds), u16(fudge)])
  const variables = Buffer.concat([encodeName(key.name), u16(classes.any), u32(0), algorithm, time, u16(0, 0)])
  const mac = macOf(key, [message, variables])
  const id = message.readUInt16BE(0)
  const data = Buffer.concat([algorithm, time, u16(mac.length), mac, u16(id, 0, 0)])
  const record = Buffer.concat([encodeName(key.name), u16(types.tsig, classes.any), u32(0), u16(data.length), data])
  const signed = Buffer.concat([message, record])
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10)
  return { signed, mac }
}

function macOf({ algorithm, secret }: TsigKey, parts: readonly Buffer[]): Buffer {
  const hmac = createHmac(algorithm.replace('hmac-', ''), secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** What a name server answered to an update. */
export interface UpdateAnswer {
  /** Response code; 0 is success (RFC 1035, 2136). */
  readonly code: number
  /** Error of the signature; 0 is none, 16 to 18 say what is wrong with it (RFC 8945). */
  readonly tsigError: number
  /** True if the answer was signed with the key. */
  readonly isSigned: boolean
}

/** Reads the answer to a signed update; undefined when it is no answer to it, or cannot be read. */
export function readUpdateAnswer(
  answer: Buffer,
  id: number,
  sent: { key: TsigKey; mac: Buffer } | undefined,
): UpdateAnswer | undefined {
  try {
    const flags = answer.readUInt16BE(2)
    if (answer.readUInt16BE(0) !== id || (flags & 0x8000) === 0) return undefined
    const code = flags & 15
    const tsig = sent === undefined ? undefined : lastRecord(answer)
    if (sent === undefined || tsig?.type !== types.tsig) return { code, tsigError: 0, isSigned: false }
    const { tsigError, isSigned } = checkTsig(answer, tsig, sent)
    return { code, tsigError, isSigned }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface FoundRecord {
  readonly type: number
  readonly start: number
  readonly data: number
  readonly end: number
}

/** Finds the last record of the last section; undefined when there is none. */
function lastRecord(message: Buffer): FoundRecord | undefined {
  const [zones, answers, updates, additional] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at)) as [
    number,
    number,
    number,
    number,
  ]
  let at = 12
  for (let left = zones; left > 0; left -= 1) at = skipName(message, at) + 4
  let last: FoundRecord | undefined
  for (let left = answers + updates + additional; left > 0; left -= 1) {
    const start = at
    const head = skipName(message, at)
    const data = head + 10
    at = data + message.readUInt16BE(head + 8)
    last = { type: message.readUInt16BE(head), start, data, end: at }
  }
  return additional > 0 ? last : undefined
}

function skipName(message: Buffer, from: number): number {
  for (let at = from; ;) {
    const length = message.readUInt8(at)
    if (length >= 0xc0) return at + 2
    if (length === 0) return at + 1
    at += length + 1
  }
}

function checkTsig(
  answer: Buffer,
  { start, data }: FoundRecord,
  { key, mac: requestMac }: { key: TsigKey; mac: Buffer },
) {
  const time = skipName(answer, data)
  const size = answer.readUInt16BE(time + 8)
  const mac = answer.subarray(time + 10, time + 10 + size)
  const after = time + 10 + size
  const tsigError = answer.readUInt16BE(after + 2)
  const other = answer.subarray(after + 4, after + 6 + answer.readUInt16BE(after + 4))
  const unsigned = Buffer.from(answer.subarray(0, start))
  unsigned.writeUInt16BE(answer.readUInt16BE(after), 0)
  unsigned.writeUInt16BE(answer.readUInt16BE(10) - 1, 10)
  const variables = Buffer.concat([
    encodeName(key.name),
    u16(classes.any),
    u32(0),
    encodeName(key.algorithm),
    answer.subarray(time, time + 8),
    u16(tsigError),
    other,
  ])
  const expected = macOf(key, [u16(requestMac.length), requestMac, unsigned, variables])
  return { tsigError, isSigned: mac.length === expected.length && timingSafeEqual(mac, expected) }
}
