import type { Score } from './compose.ts'

const channels = { chords: 0, lead: 1, bass: 2, drums: 9 } as const
/** Ticks of a second: 480 of a quarter at 120 a minute. */
const ticksPerSecond = 960
/** Loudness of the parts in the mix, controller 7. */
const volumes = { chords: 88, lead: 100, bass: 105, drums: 100 } as const

/** What of a score is played. */
export type PlayedScore = Pick<Score, 'programs' | 'tuning' | 'notes'>

/** A score as a standard MIDI file of one track, for General MIDI instruments. */
export function midiFile(score: PlayedScore): Buffer {
  const events: { at: number; bytes: number[] }[] = []
  for (const [part, channel] of Object.entries(channels) as [keyof typeof channels, number][]) {
    const bend = Math.max(0, Math.min(16_383, Math.round(8192 + (score.tuning / 2) * 8192)))
    events.push({ at: 0, bytes: [0xb0 | channel, 7, volumes[part]] })
    if (part === 'drums') continue
    events.push({ at: 0, bytes: [0xc0 | channel, score.programs[part]] })
    events.push({ at: 0, bytes: [0xe0 | channel, bend & 127, bend >> 7] })
  }
  for (const { part, pitch, begin, seconds, strength } of score.notes) {
    const channel = channels[part]
    const at = Math.round(begin * ticksPerSecond)
    events.push({ at, bytes: [0x90 | channel, pitch, Math.max(1, Math.round(strength * 120))] })
    events.push({ at: at + Math.max(1, Math.round(seconds * ticksPerSecond)), bytes: [0x80 | channel, pitch, 0] })
  }
  // Of two at the same time the one that ends a note comes first.
  events.sort((a, b) => a.at - b.at || (a.bytes[0] ?? 0) - (b.bytes[0] ?? 0))
  return Buffer.concat([chunk('MThd', [0, 0, 0, 1, 480 >> 8, 480 & 255]), chunk('MTrk', trackOf(events))])
}

function trackOf(events: readonly { at: number; bytes: readonly number[] }[]): number[] {
  const track: number[] = []
  let last = 0
  for (const { at, bytes } of events) {
    track.push(...lengthBytes(at - last), ...bytes)
    last = at
  }
  return [...track, 0, 0xff, 0x2f, 0]
}

/** A length of any size, seven bits a byte. */
function lengthBytes(value: number): number[] {
  const bytes = [value & 127]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 127) | 128)
  return bytes
}

function chunk(name: string, content: readonly number[]): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 0, 'latin1')
  head.writeUInt32BE(content.length, 4)
  return Buffer.concat([head, Buffer.from(content)])
}
