import type { Transports } from '../api.ts'

type Transport = Transports['transports'][number]

/** A counter of a connection with its meaning, and true if it is unusual. */
export interface Counter {
  label: string
  value: number
  meaning: string
  isUnusual: boolean
}

/** The counters of one connection with what they tell. */
export function countersOf(transport: Transport): Counter[] {
  const { crc_errors: damaged, framing_errors: broken, discarded_bytes: discarded } = transport
  const reconnects = Math.max(0, transport.connection_epoch - 1)
  const isShared = transport.foreign_access_suspected
  return [
    { ...meanings.damaged, value: damaged, isUnusual: damaged > 0 },
    { ...meanings.broken, value: broken, isUnusual: broken > 0 },
    { ...meanings.discarded, value: discarded, isUnusual: discarded > 0 },
    { ...meanings.reconnects, value: reconnects, isUnusual: reconnects > 3 },
    { ...meanings.unexpected, value: transport.unexpected_frames, isUnusual: isShared },
    { ...meanings.waiting, value: transport.queue_length, isUnusual: transport.queue_length > 20 },
  ]
}

const meanings = {
  damaged: {
    label: 'Damaged frames',
    meaning: 'Frames with a wrong checksum. They are discarded.',
  },
  broken: { label: 'Broken frames', meaning: 'Frames cut off by another frame.' },
  discarded: { label: 'Discarded bytes', meaning: 'Bytes outside frames.' },
  reconnects: {
    label: 'Reconnects',
    meaning: 'Reconnects since the service started.',
  },
  unexpected: {
    label: 'Unsolicited answers',
    meaning: 'Usually answers to another client of the inverter.',
  },
  waiting: { label: 'Waiting requests', meaning: 'Requests are sent one at a time.' },
} as const

/** Hints from the counters of a connection; empty while all is well. */
export function hintsOf(transport: Transport): string[] {
  const { crc_errors: damaged, framing_errors: broken, discarded_bytes: discarded, connection_epoch: epoch } = transport
  return [
    ...(transport.locked
      ? ['The inverter is in its boot loader; requests are paused. It comes back after the update.']
      : []),
    ...(transport.foreign_access_suspected
      ? [
          'Another client uses the inverter at the same time. Let it use this service instead, or increase the pause between requests.',
        ]
      : []),
    ...(damaged > 0 ? ['Damaged frames indicate a bad connection, often weak Wi-Fi at the inverter.'] : []),
    ...(damaged === 0 && (broken > 0 || discarded > 0)
      ? ['Stray bytes without damaged frames: a second client, or firmware with different escaping.']
      : []),
    ...(damaged === 0 && epoch > 4
      ? ['Many reconnects without damaged frames: the inverter does not answer in time, or the network drops out.']
      : []),
  ]
}
