import type { Transports } from '../api.ts'

type Transport = Transports['transports'][number]

/** What a counter of a connection means, and when it is a reason to look closer. */
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
    meaning: 'Checksums that did not fit. Such frames are thrown away and never shown as values.',
  },
  broken: { label: 'Broken frames', meaning: 'Frames that ended in the middle of another.' },
  discarded: { label: 'Bytes thrown away', meaning: 'Bytes between frames that belong to none.' },
  reconnects: {
    label: 'Reconnects',
    meaning: 'How often the connection was made anew since the service started.',
  },
  unexpected: {
    label: 'Unsolicited answers',
    meaning: 'Usually answers to another program on the same inverter.',
  },
  waiting: { label: 'Waiting requests', meaning: 'Requests are sent one after the other.' },
} as const

/** What the counters of a connection say together; empty while all is well. */
export function hintsOf(transport: Transport): string[] {
  const { crc_errors: damaged, framing_errors: broken, discarded_bytes: discarded, connection_epoch: epoch } = transport
  return [
    ...(transport.locked
      ? ['The inverter is in its boot loader, so nothing is sent. It comes back by itself after the update.']
      : []),
    ...(transport.foreign_access_suspected
      ? [
          'Another program talks to the inverter at the same time. Let it use this service instead, or lengthen the pause between requests.',
        ]
      : []),
    ...(damaged > 0 ? ['Damaged frames come from a bad line, often weak wireless reception of the inverter.'] : []),
    ...(damaged === 0 && (broken > 0 || discarded > 0)
      ? ['Stray bytes without damaged frames: a second program on the line, or a firmware that escapes differently.']
      : []),
    ...(damaged === 0 && epoch > 4
      ? ['Many reconnects without damaged frames: the inverter does not answer in time, or the network drops out.']
      : []),
  ]
}
