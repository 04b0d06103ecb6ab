import {
  countryRates,
  foundTunnels,
  ordinaryLists,
  ordinaryQueries,
  type Rate,
  roamingPhones,
  sharedKeys,
  surgingLists,
} from '../test/hint-rates.ts'
import { tunnels } from '../test/hint-traffic.ts'

/**
 * `npm run bench -- vpn/hints [PEERS] [DAYS]`: false alarms of each kind of hint on ordinary traffic, by 1,000 peer-days (or
 * list-days), and how many of the cases that a hint is meant for are found. Traffic is synthetic with fixed seeds.
 */
const peers = Number(process.argv[2] ?? 200)
const days = Number(process.argv[3] ?? 30)
const size = { peers, days, seed: 1 }

const falseAlarms = ({ traffic, hints, of }: Rate): void => {
  console.log(`${traffic}: ${hints} hints in ${of} days, ${((hints / of) * 1000).toFixed(2)} in 1,000`)
}
const found = ({ traffic, hints, of }: Rate): void => console.log(`${traffic}: ${hints} of ${of} found`)

console.log('Key used from two places')
falseAlarms(roamingPhones(size))
for (const isBusy of [true, false]) found(sharedKeys(200, { isBusy, seed: 7 }))

console.log('\nNew country')
for (const kind of ['home', 'commuter', 'traveller'] as const) {
  const { falseHints, journeys, found: hints, peerDays } = countryRates(size, kind)
  falseAlarms({ traffic: kind, hints: falseHints, of: peerDays })
  if (journeys > 0) found({ traffic: 'countries of journeys', hints, of: journeys })
}

console.log('\nDNS like a tunnel')
falseAlarms(ordinaryQueries(size))
falseAlarms(ordinaryQueries({ ...size, seed: 2 }, 'known'))
falseAlarms(ordinaryQueries({ ...size, seed: 3 }, 'unknown'))
for (const kind of Object.keys(tunnels) as (keyof typeof tunnels)[]) found(foundTunnels(kind, 20, 11))

console.log('\nList blocks much more')
for (const perHour of [5, 60, 2000]) falseAlarms(ordinaryLists({ ...size, peers: 50 }, perHour))
for (const perHour of [60, 2000]) for (const times of [5, 20, 40]) found(surgingLists(50, { perHour, times, seed: 13 }))
