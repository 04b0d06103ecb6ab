import type { Transports } from '../api.ts'

type Transport = Transports['transports'][number]

/** The counters of one connection with their meaning, and true for unusual ones. */
export function countersOf(transport: Transport) {
  const { crc_errors: damaged, framing_errors: broken, discarded_bytes: discarded, queue_length: waiting } = transport
  const reconnects = Math.max(0, transport.connection_epoch - 1)
  return [
    {
      label: 'Damaged frames',
      meaning: 'Frames with a wrong checksum. They are discarded.',
      value: damaged,
      isUnusual: damaged > 0,
    },
    { label: 'Broken frames', meaning: 'Frames cut off by another frame.', value: broken, isUnusual: broken > 0 },
    { label: 'Discarded bytes', meaning: 'Bytes outside frames.', value: discarded, isUnusual: discarded > 0 },
    {
      label: 'Reconnects',
      meaning: 'Reconnects since the service started.',
      value: reconnects,
      isUnusual: reconnects > 3,
    },
    {
      label: 'Unsolicited answers',
      meaning: 'Usually answers to another client of the inverter.',
      value: transport.unexpected_frames,
      isUnusual: transport.foreign_access_suspected,
    },
    {
      label: 'Waiting requests',
      meaning: 'Requests are sent one at a time.',
      value: waiting,
      isUnusual: waiting > 20,
    },
  ]
}

/** Hints from the counters of a connection; empty while all is well. */
export function hintsOf(transport: Transport): string[] {
  const { crc_errors: damaged, framing_errors: broken, discarded_bytes: discarded, connection_epoch: epoch } = transport
  const hints: [applies: boolean, hint: string][] = [
    [transport.locked, 'The inverter is in its boot loader; requests are paused. It comes back after the update.'],
    [
      transport.foreign_access_suspected,
      'Another client uses the inverter at the same time. Let it use this service instead, or increase the pause between requests.',
    ],
    [damaged > 0, 'Damaged frames indicate a bad connection, often weak Wi-Fi at the inverter.'],
    [
      damaged === 0 && (broken > 0 || discarded > 0),
      'Stray bytes without damaged frames: a second client, or firmware with different escaping.',
    ],
    [
      damaged === 0 && epoch > 4,
      'Many reconnects without damaged frames: the inverter does not answer in time, or the network drops out.',
    ],
  ]
  return hints.filter(([applies]) => applies).map(([, hint]) => hint)
}
