import { layoutOf, type CommandLayout } from './command.ts'
import { escapeByte, escapedBytes, maxFrameBytes, startByte, type Frame } from './frame.ts'
import { OutsideBytes } from './outside-bytes.ts'
import { frameFrom, isVerified, plainFrameEnd, verifiedLength } from './unescaped-frame.ts'

/** Events of a parser. */
export interface ParserEvents {
  onFrame(frame: Frame): void
  /** Called right before `onFrame` with the frame as it came, from start byte to checksum. Valid during the call only. */
  onFrameBytes?(bytes: Uint8Array): void
  /** A frame had begun and is lost: its checksum is wrong, or it was broken off or is built wrongly. */
  onDamage?(kind: 'crc' | 'framing'): void
  /** The bootloader announced itself between frames. */
  onBootloader?(): void
}

/** Counts that only grow. */
export interface ParserCounters {
  /** Bytes that belong to no delivered frame and are not the one zero before a frame. */
  discardedBytes: number
  crcErrors: number
  framingErrors: number
}

/** Finds the frames in a stream of bytes, however it is cut into chunks. */
export interface FrameParser {
  push(chunk: Uint8Array): void
  /** Signals that no byte arrived for 80 ms: a long answer with a wrong length has ended. */
  idle(): void
  /** True if a frame has begun and is not complete: `idle` could end it. */
  readonly isWaiting: boolean
  /** Bytes of the frame that has begun. Above 8192 the stream is broken and its owner begins a new one. */
  readonly heldBytes: number
  readonly counters: Readonly<ParserCounters>
  /** Forgets what is held, for a new connection. The counters go on. Called from an event it also ends the running `push`. */
  reset(): void
}

/**
 * A parser for one connection. It has no time of its own and keeps at most one frame.
 *
 * Devices declare wrong lengths in long answers. Therefore the declared end of those counts at once only when the checksum
 * is right there and nothing follows; otherwise the end is where the next frame begins or the line falls silent, if the
 * checksum is right there. The end of a chunk alone never ends a frame.
 */
export function createFrameParser(events: ParserEvents): FrameParser {
  return new StreamParser(events)
}

class StreamParser implements FrameParser {
  readonly counters: ParserCounters = { discardedBytes: 0, crcErrors: 0, framingErrors: 0 }
  readonly #events: ParserEvents
  readonly #outside: OutsideBytes
  /** The unescaped bytes of the frame that has begun, from its command on. */
  readonly #bytes = new Uint8Array(maxFrameBytes)
  #length = 0
  /** The bytes it took so far as they came, start byte and escapes included; 0 outside of frames. */
  #held = 0
  #isEscaped = false
  #layout: CommandLayout | undefined
  /** The unescaped length at which there is something to decide. */
  #due = 0
  /** The whole unescaped length by the length field, once that is there; beyond the frame limit it is never reached. */
  #declared = 0
  /** The checksum was right at the declared end, but something followed it. */
  #isDeclaredRight = false
  /** More bytes came than a frame may have. They are only counted until the next start byte, so that a stream without end shows. */
  #isOverlong = false
  #resets = 0

  constructor(events: ParserEvents) {
    this.#events = events
    const onNoise = (count: number) => {
      this.counters.discardedBytes += count
    }
    this.#outside = new OutsideBytes(onNoise, () => events.onBootloader?.())
  }

  get isWaiting(): boolean {
    return this.#held > 0
  }

  get heldBytes(): number {
    return this.#held
  }

  push(chunk: Uint8Array): void {
    const resets = this.#resets
    for (let at = 0; at < chunk.length && resets === this.#resets;) {
      const end = this.#held === 0 && chunk[at] === startByte ? plainFrameEnd(chunk, at) : 0
      if (end > 0) {
        this.#outside.end()
        this.#events.onFrameBytes?.(chunk.subarray(at, end))
        this.#events.onFrame(frameFrom(chunk, at + 1, end))
        at = end
      } else {
        this.#take(chunk, at)
        at += 1
      }
    }
  }

  idle(): void {
    if (this.#layout?.lengthBytes !== 2 || this.#declared === 0) return
    const held = this.#held
    const length = this.#isEscaped || this.#isOverlong ? 0 : this.#guessedLength()
    if (length > 0 || this.#isDeclaredRight) this.#deliver(length > 0 ? length : this.#declared)
    else if (this.#isOverlong) this.#drop('framing')
    else if (this.#length >= Math.max(this.#declared, this.#shortest())) this.#drop('crc')
    if (this.#held < held) this.idle()
  }

  reset(): void {
    this.#resets += 1
    this.#forget()
    this.#outside.end()
  }

  #take(chunk: Uint8Array, at: number): void {
    const byte = chunk[at] ?? 0
    if (byte === startByte && !this.#isEscaped) this.#begin()
    else if (this.#held === 0) this.#outside.take(byte)
    else if (this.#length === 0) this.#takeCommand(byte)
    else this.#takeInside(byte, chunk, at)
  }

  /** A start byte ends the frame before it, complete or not. */
  #begin(): void {
    const resets = this.#resets
    // What is handed back after a long answer may itself have begun a frame.
    while (this.#length > 0 && resets === this.#resets) this.#endAtNextStart()
    if (resets !== this.#resets) return
    this.counters.discardedBytes += this.#held
    this.#outside.end()
    this.#forget()
    this.#held = 1
  }

  #takeCommand(byte: number): void {
    this.#layout = layoutOf(byte)
    if (this.#layout === undefined) {
      // The bridge between device and network makes noise with start bytes in it: not a frame, so no damage either.
      this.counters.discardedBytes += this.#held
      this.#forget()
      this.#outside.take(byte)
      return
    }
    this.#held += 1
    this.#bytes[0] = byte
    this.#length = 1
    this.#due = this.#headLength()
  }

  #takeInside(byte: number, chunk: Uint8Array, at: number): void {
    this.#held += 1
    if (!this.#isEscaped && byte === escapeByte) {
      this.#isEscaped = true
      return
    }
    const isWrong = this.#isEscaped && byte !== escapeByte && byte !== startByte
    const isFull = this.#length === maxFrameBytes
    if (isFull ? this.#isDeclaredRight : isWrong) {
      this.#breakOff(byte)
      return
    }
    this.#isEscaped = false
    if (isFull) this.#isOverlong = true
    else {
      this.#bytes[this.#length++] = byte
      if (this.#length === this.#due) this.#decide(chunk, at + 1)
    }
  }

  #decide(chunk: Uint8Array, next: number): void {
    if (this.#declared === 0) this.#readLength()
    else if (isVerified(this.#bytes, this.#length)) {
      if (this.#layout?.lengthBytes === 1 || isEndOfData(chunk, next)) this.#deliver(this.#declared)
      else this.#isDeclaredRight = true
    } else if (this.#layout?.lengthBytes === 1) this.#drop('crc')
  }

  #readLength(): void {
    const head = this.#headLength()
    const counted = head === 2 ? (this.#bytes[1] ?? 0) : ((this.#bytes[1] ?? 0) << 8) | (this.#bytes[2] ?? 0)
    this.#declared = head + counted + 2
    const isPossible = this.#declared >= this.#shortest()
    if (head === 2 && !isPossible) this.#drop('framing')
    else if (isPossible) this.#due = this.#declared
  }

  #endAtNextStart(): void {
    const isLong = this.#layout?.lengthBytes === 2 && this.#declared > 0 && !this.#isOverlong
    const length = isLong ? this.#guessedLength() : 0
    if (length > 0 || this.#isDeclaredRight) this.#deliver(length > 0 ? length : this.#declared)
    else this.#drop(isLong && this.#length >= this.#declared ? 'crc' : 'framing')
  }

  /** The byte just taken cannot be inside a frame. */
  #breakOff(byte: number): void {
    const resets = this.#resets
    this.#held -= 1
    if (this.#isDeclaredRight) this.#deliver(this.#declared)
    else this.#drop('framing')
    if (resets === this.#resets) this.push(Uint8Array.of(byte))
  }

  /** Hands over the first `length` bytes. What was taken beyond them is read once more, as what comes after a frame. */
  #deliver(length: number): void {
    const resets = this.#resets
    const frame = frameFrom(this.#bytes, 0, length)
    this.#events.onFrameBytes?.(Uint8Array.of(startByte, ...escapedBytes(this.#bytes.slice(0, length))))
    const rest = [escapedBytes(this.#bytes.slice(length, this.#length))]
    if (this.#isEscaped) rest.push(Uint8Array.of(escapeByte))
    this.#forget()
    this.#outside.end()
    this.#events.onFrame(frame)
    for (const bytes of rest) if (resets === this.#resets) this.push(bytes)
  }

  #drop(kind: 'crc' | 'framing'): void {
    this.counters.discardedBytes += this.#held
    if (kind === 'crc') this.counters.crcErrors += 1
    else this.counters.framingErrors += 1
    this.#forget()
    this.#events.onDamage?.(kind)
  }

  #forget(): void {
    this.#length = 0
    this.#held = 0
    this.#isEscaped = false
    this.#due = 0
    this.#declared = 0
    this.#isDeclaredRight = false
    this.#isOverlong = false
  }

  /** Command and length field. */
  #headLength(): number {
    return 1 + (this.#layout?.lengthBytes ?? 1)
  }

  /** The length of a frame without payload. */
  #shortest(): number {
    return this.#headLength() + (this.#layout?.idBytes ?? 4) + 2
  }

  /** Returns the length of a long frame that ends here, by its checksum; else 0. */
  #guessedLength(): number {
    return verifiedLength(this.#bytes, this.#length, this.#shortest())
  }
}

/** Returns true if nothing but separators comes before the next frame or the end of the chunk. */
function isEndOfData(chunk: Uint8Array, next: number): boolean {
  let at = next
  while (at < chunk.length && chunk[at] === 0) at += 1
  return at === chunk.length || chunk[at] === startByte
}
