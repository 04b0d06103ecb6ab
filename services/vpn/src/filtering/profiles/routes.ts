import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, page, pageEnvelope } from '../../envelope.ts'
import type { Publish } from '../../service-event.ts'
import { pendingNote } from '../in-force.ts'
import type { Profiles } from './profiles.ts'
import {
  DnsProfile,
  DnsProfileCreate,
  DnsProfileDeleted,
  DnsProfileDetail,
  DnsProfileListQuery,
  DnsProfileParams,
  DnsProfilePause,
  DnsProfileUpdate,
  DnsServices,
  PeerDnsProfile,
  PeerDnsProfileUpdate,
} from './schema.ts'
import { filteredServices } from './services.data.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const
const member = { ...shared, path: '/api/dns/profiles/{id}', params: DnsProfileParams } as const
const ofPeer = { ...shared, path: '/api/dns/peer-profiles/{id}', params: DnsProfileParams } as const

/** Profiles of the filter; every change holds for the next query, unless the resolver does not answer. */
export function profileRoutes(profiles: Profiles, publish: Publish): Route[] {
  const changed = (id: string) => publish({ type: 'changed', collection: 'dns_profiles', id })
  return [
    ...readingRoutes(profiles),
    ...changingRoutes(profiles, changed),
    ...pauseRoutes(profiles, changed),
    ...peerRoutes(profiles, changed),
  ]
}

function readingRoutes(profiles: Profiles): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/profiles',
        summary: 'List profiles of the filter',
        description: 'By name, with what holds now for their devices and what comes next.',
        access: 'signed-in',
        query: DnsProfileListQuery,
        success: { status: 200, body: pageEnvelope(DnsProfile) },
      },
      async ({ query }) => page(await profiles.list(query), query),
    ),
    route(
      {
        ...member,
        method: 'GET',
        summary: 'Read a profile of the filter',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(DnsProfileDetail) },
        errors: [404],
      },
      async ({ params }) => ok(await profiles.get(params.id)),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/services',
        summary: 'List services that a profile can switch off',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(DnsServices) },
      },
      () => ok(filteredServices.map(({ id, name, category, names }) => ({ id, name, category, names: [...names] }))),
    ),
  ]
}

function changingRoutes(profiles: Profiles, changed: (id: string) => void): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/profiles',
        summary: 'Create a profile of the filter',
        description:
          'Lists, rules, services that are off and a schedule, for devices, groups and interfaces. Of several that a device has the most exact assignment counts: its own, then that of a group (the first profile by name), then that of its interface.',
        access: 'admin',
        body: DnsProfileCreate,
        success: { status: 201, body: messageEnvelope(DnsProfileDetail) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const { profile, inForce } = await profiles.create(body, caller.username)
        changed(profile.id)
        return done(profile, `Profile ${profile.name} created${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a profile of the filter',
        description: 'Members that are left out stay.',
        access: 'admin',
        body: DnsProfileUpdate,
        success: { status: 200, body: messageEnvelope(DnsProfileDetail) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const { profile, inForce } = await profiles.update(params.id, body)
        changed(profile.id)
        return done(profile, `Profile ${profile.name} changed${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a profile of the filter',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(DnsProfileDeleted) },
        errors: [404, 409],
      },
      async ({ params }) => {
        const { inForce, ...removed } = await profiles.remove(params.id)
        changed(removed.id)
        return done(removed, `Profile ${removed.name} deleted${pendingNote(inForce)}`)
      },
    ),
  ]
}

function pauseRoutes(profiles: Profiles, changed: (id: string) => void): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/profiles/{id}/pause',
        summary: 'Block nothing for the devices of a profile for a while',
        access: 'admin',
        params: DnsProfileParams,
        body: DnsProfilePause,
        success: { status: 200, body: messageEnvelope(DnsProfileDetail) },
        errors: [404],
      },
      async ({ params, body }) => {
        const { profile, inForce } = await profiles.pause(params.id, body.seconds)
        changed(profile.id)
        return done(profile, `Profile ${profile.name} is paused${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/profiles/{id}/resume',
        summary: 'End the pause of a profile',
        access: 'admin',
        params: DnsProfileParams,
        success: { status: 200, body: messageEnvelope(DnsProfileDetail) },
        errors: [404],
      },
      async ({ params }) => {
        const { profile, inForce } = await profiles.pause(params.id, 0)
        changed(profile.id)
        return done(profile, `Profile ${profile.name} goes on${pendingNote(inForce)}`)
      },
    ),
  ]
}

function peerRoutes(profiles: Profiles, changed: (id: string) => void): Route[] {
  return [
    route(
      {
        ...ofPeer,
        method: 'GET',
        summary: 'Read the profile of a peer',
        description: 'The one it is in and why, the one that holds now, and what comes next.',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(PeerDnsProfile) },
        errors: [404],
      },
      async ({ params }) => ok(await profiles.ofPeer(params.id)),
    ),
    route(
      {
        ...ofPeer,
        method: 'PUT',
        summary: 'Choose the profile of a peer',
        access: 'admin',
        body: PeerDnsProfileUpdate,
        success: { status: 200, body: messageEnvelope(PeerDnsProfile) },
        errors: [404],
      },
      async ({ params, body }) => {
        const { peer, inForce } = await profiles.assign(params.id, body.profile_id)
        changed(peer.own?.id ?? params.id)
        const name = peer.assigned?.name
        const message = name === undefined ? 'The device has no profile' : `The device is in the profile ${name}`
        return done(peer, `${message}${pendingNote(inForce)}`)
      },
    ),
  ]
}
