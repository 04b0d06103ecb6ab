import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { profileClient } from '../src/dns/policy/profile-table.ts'
import type { ResolverClient, ResolverProfile, ResolverRule } from '../src/dns/resolver-files.ts'
import { startFakeNameserver } from '../test/fake-nameserver.ts'
import { startResolverFixture } from '../test/loopback-resolver.ts'

/**
 * `npm run bench -- vpn/profiles [PEERS]`: switches of a profile that so many clients have, by the clock from the write of its
 * file to the first answer by it, while queries go on. Every query must be answered; a switch is to take less than a second.
 */
const peers = Number(process.argv[2] ?? 10_000)
const switches = 20
const askers = 4

const clients: ResolverClient[] = Array.from({ length: peers }, (_, k) => ({
  number: k + 1,
  id: createHash('sha256').update(String(k)).digest('hex').slice(0, 32),
  name: `Peer ${k}`,
  label: `peer-${k}`,
  addresses: k === 0 ? ['127.0.7.1'] : [`10.${64 + (k >> 16)}.${(k >> 8) & 255}.${k & 255}`],
  filtering: true,
  lists: null,
  logging: true,
  profile: 1,
}))
const rules: ResolverRule[] = [
  { number: 1, action: 'block', domain: 'games.example', belowOnly: false, client: profileClient(1) },
]
const profile = (isOn: boolean): ResolverProfile[] => [
  { number: 1, holds: isOn ? 1 : 0, isPaused: false, lists: null, blockMode: 0, safety: 0 },
]

await using upstream = await startFakeNameserver()
await using fixture = await startResolverFixture({
  clients,
  rules,
  profiles: profile(false),
  upstreamPort: upstream.port,
})
const asked = { answered: 0, lost: 0 }
const run = { isOver: false }

async function ask(): Promise<void> {
  while (!run.isOver) {
    await fixture.ask('www.games.example', '127.0.7.1').then(
      () => (asked.answered += 1),
      () => (asked.lost += 1),
    )
  }
}

const asking = Promise.all(Array.from({ length: askers }, ask))
const times: number[] = []
for (let k = 0; k < switches; k++) {
  await pause(100)
  const isOn = k % 2 === 0
  const since = performance.now()
  await fixture.input.write('profiles', profile(isOn))
  while ((await fixture.ask('www.games.example', '127.0.7.1')).isBlocked !== isOn);
  times.push(performance.now() - since)
}
run.isOver = true
await asking
times.sort((one, other) => one - other)
const shown = (value: number | undefined) => `${(value ?? 0).toFixed(1)} ms`
console.log(
  `${peers} clients, ${switches} switches: median ${shown(times[switches >> 1])}, longest ${shown(times.at(-1))}`,
)
console.log(`${asked.answered} queries answered meanwhile, ${asked.lost} lost`)
if (asked.lost > 0 || (times.at(-1) ?? 0) > 1000) process.exitCode = 1
