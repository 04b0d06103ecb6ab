import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, page, pageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import type { AccessGroups } from './groups.ts'
import type { AccessRules } from './rules.ts'
import {
  AccessDefault,
  AccessDefaultParams,
  AccessDefaultUpdate,
  AccessDeleted,
  AccessExplanation,
  AccessGroup,
  AccessGroupCreate,
  AccessGroupDetail,
  AccessGroupListQuery,
  AccessGroupUpdate,
  AccessParams,
  AccessQuestion,
  AccessRule,
  AccessRuleCreate,
  AccessRuleListQuery,
  AccessRuleUpdate,
} from './schema.ts'

const shared = { tag: 'Access', limit: 'counted' } as const
const read = { ...shared, method: 'GET', access: 'signed-in' } as const
const write = { ...shared, access: 'admin' } as const

/** Groups of peers, the rules about what they reach, and why something is reached or not. */
export function accessRoutes({ groups, rules }: Access, publish: Publish): Route[] {
  const changed = (id: string | null) => publish({ type: 'changed', collection: 'access', id })
  return [
    ...groupRoutes(groups),
    ...groupChangeRoutes(groups, changed),
    ...ruleRoutes(rules, changed),
    ...defaultRoutes(rules, changed),
  ]
}

/** What the routes call. */
export interface Access {
  readonly groups: AccessGroups
  readonly rules: AccessRules
}

type Changed = (id: string | null) => void

const groupPath = '/api/access/groups'

function groupRoutes(groups: AccessGroups): Route[] {
  const member = { path: `${groupPath}/{id}`, params: AccessParams } as const
  return [
    route(
      {
        ...read,
        path: groupPath,
        summary: 'List groups of peers',
        description: 'By name.',
        query: AccessGroupListQuery,
        success: { status: 200, body: pageEnvelope(AccessGroup) },
      },
      async ({ query }) => page(await groups.list(query), query),
    ),
    route(
      {
        ...read,
        ...member,
        summary: 'Read a group with its peers',
        success: { status: 200, body: dataEnvelope(AccessGroupDetail) },
        errors: [404],
      },
      async ({ params }) => ok(await groups.get(params.id)),
    ),
  ]
}

function groupChangeRoutes(groups: AccessGroups, changed: Changed): Route[] {
  const member = { path: `${groupPath}/{id}`, params: AccessParams } as const
  return [
    route(
      {
        ...write,
        method: 'POST',
        path: groupPath,
        summary: 'Create a group of peers',
        body: AccessGroupCreate,
        success: { status: 201, body: messageEnvelope(AccessGroupDetail) },
        errors: [409],
      },
      async ({ body }) => {
        const group = await groups.create(body)
        changed(group.id)
        return done(group, `Group ${group.name} created`)
      },
    ),
    route(
      {
        ...write,
        ...member,
        method: 'PUT',
        summary: 'Change a group of peers',
        description:
          'Members that are left out keep their value. Rules that name the group hold for its peers at once.',
        body: AccessGroupUpdate,
        success: { status: 200, body: messageEnvelope(AccessGroupDetail) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const group = await groups.update(params.id, body)
        changed(group.id)
        return done(group, `Group ${group.name} changed`)
      },
    ),
    route(
      {
        ...write,
        ...member,
        method: 'DELETE',
        summary: 'Delete a group of peers',
        description: 'Refused while a rule names it.',
        success: { status: 200, body: messageEnvelope(AccessDeleted) },
        errors: [404, 409],
      },
      async ({ params }) => {
        const { id, name } = await groups.remove(params.id)
        changed(id)
        return done({ id }, `Group ${name} deleted`)
      },
    ),
  ]
}

function ruleRoutes(rules: AccessRules, changed: Changed): Route[] {
  const path = '/api/access/rules'
  const member = { path: `${path}/{id}`, params: AccessParams } as const
  return [
    route(
      {
        ...read,
        path,
        summary: 'List access rules',
        description: 'In their order: the first enabled rule that matches a connection decides.',
        query: AccessRuleListQuery,
        success: { status: 200, body: pageEnvelope(AccessRule) },
      },
      async ({ query }) => page(await rules.list(query), query),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path,
        summary: 'Create an access rule',
        description:
          'It holds at once, for open connections too; answers of a connection that is allowed come back without a rule.',
        body: AccessRuleCreate,
        success: { status: 201, body: messageEnvelope(AccessRule) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const rule = await rules.create(body, caller.username)
        changed(rule.id)
        return done(rule, `Rule ${rule.position} created`)
      },
    ),
    route(
      {
        ...write,
        ...member,
        method: 'PUT',
        summary: 'Change or move an access rule',
        description: 'Members that are left out keep their value; `position` moves the rule.',
        body: AccessRuleUpdate,
        success: { status: 200, body: messageEnvelope(AccessRule) },
        errors: [404],
      },
      async ({ params, body }) => {
        const rule = await rules.update(params.id, body)
        changed(rule.id)
        return done(rule, `Rule ${rule.position} changed`)
      },
    ),
    route(
      {
        ...write,
        ...member,
        method: 'DELETE',
        summary: 'Delete an access rule',
        success: { status: 200, body: messageEnvelope(AccessDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const { id, position } = await rules.remove(params.id)
        changed(id)
        return done({ id }, `Rule ${position} deleted`)
      },
    ),
  ]
}

function defaultRoutes(rules: AccessRules, changed: Changed): Route[] {
  return [
    route(
      {
        ...read,
        path: '/api/access/defaults',
        summary: 'List what interfaces do without a matching rule',
        success: { status: 200, body: dataEnvelope(z.array(AccessDefault).meta({ id: 'AccessDefaults' })) },
      },
      async () => ok(await rules.defaults()),
    ),
    route(
      {
        ...write,
        method: 'PUT',
        path: '/api/access/defaults/{name}',
        params: AccessDefaultParams,
        summary: 'Set what an interface does without a matching rule',
        description:
          '`deny` cuts its peers off from everything no rule allows, but for ping, DNS and other services of the gateway, and DNS at the resolvers in their configuration.',
        body: AccessDefaultUpdate,
        success: { status: 200, body: messageEnvelope(AccessDefault) },
        errors: [404],
      },
      async ({ params, body }) => {
        const set = await rules.setDefault(params.name, body.action)
        changed(null)
        return done(set, `${set.interface} ${set.action === 'allow' ? 'allows' : 'denies'} what no rule matches`)
      },
    ),
    route(
      {
        ...read,
        path: '/api/access/explain',
        summary: 'Explain whether a peer reaches something',
        description: 'Says what decides about a new connection, and what was looked at on the way.',
        query: AccessQuestion,
        success: { status: 200, body: dataEnvelope(AccessExplanation) },
        errors: [422],
      },
      async ({ query }) => ok(await rules.explain(query)),
    ),
  ]
}
