import type { Sealer } from '@hearth/credentials'
import { createGuardedFetch, createOutboundPolicy, type GuardedFetch, type OutboundAllow } from '@hearth/outbound'
import { createKeyedQueue, type Log, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Uploads } from '../certificates/uploads/uploads.ts'
import type { Publish } from '../events/schema.ts'
import type { Settings } from '../settings/schema.ts'
import { createLookups } from './dns/lookups.ts'
import type { ExternalAccounts } from './external-accounts/external-accounts.ts'
import { Orders } from './orders/orders.ts'
import { ProviderFailed } from './providers/provider.ts'
import { Providers } from './providers/providers.ts'
import type { OrderView } from './schema.ts'
import type { AcmeTables } from './tables.ts'

export interface AcmeDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  readonly allow: OutboundAllow
  /** Resolvers with or without port; those of the system when there is none. */
  readonly resolvers: readonly string[]
  readonly uploads: Uploads
  readonly settings: { current(): Settings }
  readonly publish: Publish
  readonly externalAccounts: Pick<ExternalAccounts, 'find'>
  /** Lets Caddy take a stored certificate over; resolves to why it has not, or undefined. */
  readonly whyNotServed: (certificateId: number) => Promise<string | undefined>
  /** Called after each step of an order. */
  readonly onOrder: (order: OrderView) => void
}

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

/** Certificates that the service orders itself. */
export type Acme = ReturnType<typeof createAcme>

/** Creates the orders and the DNS providers; nobody is asked before `orders.start`. */
export function createAcme({
  allow,
  resolvers,
  settings,
  publish,
  onOrder,
  externalAccounts,
  ...dependencies
}: AcmeDependencies) {
  const { timers } = dependencies
  const guarded = createGuardedFetch(createOutboundPolicy(allow))
  const end = new AbortController()
  const fetch: GuardedFetch = (url, request) => guarded(url, { ...request, signal: end.signal })
  const lookups = createLookups(resolvers)
  const locks = createKeyedQueue(100)
  const providers = new Providers({
    ...dependencies,
    clock: timers,
    onChanged: () => orders.poke(),
    context: {
      fetch,
      policy: createOutboundPolicy(allow, { ports: [53] }),
      now: () => timers.now(),
      withLock: (key, change) => locks.run(key, change),
      async zoneOf(name) {
        const zone = await lookups.zoneOf(name)
        if (zone === undefined) throw new ProviderFailed('wrong-zone', `No zone holds ${name}`)
        return zone
      },
    },
  })
  const orders: Orders = new Orders({
    ...dependencies,
    fetch,
    lookups,
    providers,
    externalAccount: (directory) => externalAccounts.find(directory),
    onClose: () => end.abort(new Error('the service ends')),
    authority() {
      const { acme_ca: directory, acme_email: email } = settings.current()
      return { directory: directory === '' ? letsEncrypt : directory, email }
    },
    onStep(order) {
      publishStep(publish, order)
      onOrder(order)
    },
  })
  return { orders, providers }
}

function publishStep(publish: Publish, { id, name, state, step, certificate_id: certificate }: OrderView): void {
  publish({ type: 'order', action: state, id, details: { name, step, certificate } })
  if (state === 'valid') publish({ type: 'certificate', action: 'ordered', id: null, details: { order: id } })
}
