import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import type { HealthNotice } from '../health/schema.ts'
import type { Filtering } from './filtering.ts'
import { pendingNote } from './in-force.ts'
import { peerPauseRoutes } from './pauses/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { managedRecordRoutes } from './managed-records/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { zoneRoutes } from './zones/routes.ts'
import { ruleRoutes } from './rules/routes.ts'
import { DnsRulePreview, DnsRulePreviewBody } from './rules/schema.ts'
import {
  DnsBlocking,
  DnsExplanation,
  DnsPause,
  DnsSettings,
  DnsSettingsUpdate,
  DnsStatus,
  ExplainQuery,
  PeerDnsName,
  PeerNameParams,
  UpstreamTest,
  UpstreamTestResult,
} from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const

/** The resolver: settings, pause, state, rules and explanations. */
export function dnsRoutes(filtering: Filtering, health: () => Promise<HealthNotice[]>, publish: Publish): Route[] {
  const changed = () => publish({ type: 'changed', collection: 'dns_settings', id: null })
  return [
    ...settingsRoutes(filtering, changed),
    ...pauseRoutes(filtering, changed),
    statusRoute(filtering, health),
    ...explainRoutes(filtering),
    peerNameRoute(filtering),
    ...ruleRoutes(filtering.rules, publish),
    ...recordRoutes(filtering.records, publish),
    ...managedRecordRoutes(filtering.managedRecords, publish),
    ...zoneRoutes(filtering.zones, publish),
    ...profileRoutes(filtering.profiles, publish),
    ...peerPauseRoutes(filtering.pauses),
  ]
}

function settingsRoutes(filtering: Filtering, changed: () => void): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/settings',
        summary: 'Read the DNS settings',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(DnsSettings) },
      },
      () => ok(filtering.settings.shown()),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/api/dns/settings',
        summary: 'Change the DNS settings',
        description: 'Members that are left out stay. In force for the next query, without a restart.',
        access: 'admin',
        body: DnsSettingsUpdate,
        success: { status: 200, body: messageEnvelope(DnsSettings) },
      },
      async ({ body }) => {
        const { settings, inForce } = await filtering.settings.update(body)
        changed()
        return done(settings, `DNS settings changed${pendingNote(inForce)}`)
      },
    ),
  ]
}

function pauseRoutes(filtering: Filtering, changed: () => void): Route[] {
  const turn = async (seconds: number, message: string) => {
    const inForce = await filtering.settings.pause(seconds)
    changed()
    return done(filtering.status().blocking, `${message}${pendingNote(inForce)}`)
  }
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/pause',
        summary: 'Block nothing for a while',
        access: 'admin',
        body: DnsPause,
        success: { status: 200, body: messageEnvelope(DnsBlocking) },
      },
      ({ body }) => turn(body.seconds, 'Blocking is paused'),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/resume',
        summary: 'End a pause',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(DnsBlocking) },
      },
      () => turn(0, 'Blocking goes on'),
    ),
  ]
}

function statusRoute(filtering: Filtering, health: () => Promise<HealthNotice[]>): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/dns/status',
      summary: 'How the resolver does',
      access: 'signed-in',
      success: { status: 200, body: dataEnvelope(DnsStatus) },
    },
    async () => ok({ ...filtering.status(), health: await health() }),
  )
}

function peerNameRoute(filtering: Filtering): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/dns/peer-names/{id}',
      summary: 'Read the name of a peer in DNS',
      description: 'Every peer may ask for it. A peer that is disabled or unknown is not found by it.',
      access: 'signed-in',
      params: PeerNameParams,
      success: { status: 200, body: dataEnvelope(PeerDnsName) },
    },
    ({ params }) => ok({ id: params.id, name: filtering.peerName(params.id) }),
  )
}

function explainRoutes(filtering: Filtering): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/explain',
        summary: 'Why a name is blocked or allowed',
        description: 'Every rule and list entry that matches, in the order of precedence, and the one that decides.',
        access: 'signed-in',
        query: ExplainQuery,
        success: { status: 200, body: dataEnvelope(DnsExplanation) },
      },
      async ({ query }) => ok(await filtering.explain(query)),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/rules/preview',
        summary: 'What a rule would have changed',
        description: 'Tries the rule on the queries of the last 24 hours; nothing is stored.',
        access: 'admin',
        body: DnsRulePreviewBody,
        success: { status: 200, body: dataEnvelope(DnsRulePreview) },
      },
      async ({ body }) => ok(await filtering.preview(body)),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/upstreams/test',
        summary: 'Ask a server whether it answers',
        access: 'admin',
        body: UpstreamTest,
        success: { status: 200, body: dataEnvelope(UpstreamTestResult) },
      },
      async ({ body }) => ok(await filtering.testUpstream(body.upstream)),
    ),
  ]
}
