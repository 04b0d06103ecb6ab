import { z } from 'zod'
import { idText, nameKey, pageQuery, plainText, Timestamp, wholeNumber } from '../envelope.ts'

/** Groups and rules, at most. */
export const maxGroups = 200
export const maxRules = 1000
/** Peers that are put into one group by hand, at most. */
export const maxMembers = 10_000
const maxPorts = 32
const maxGroupTags = 16

const lines = /[\p{Cc}\p{Zl}\p{Zp}]/u
const words = (maxLength: number) =>
  plainText(maxLength).refine((text) => !lines.test(text), 'must not contain control characters')

/** Colours of groups on pages. */
export const GroupColor = z.enum(['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'])
export type GroupColor = z.infer<typeof GroupColor>

const groupName = words(64)
  .trim()
  .min(1)
  .meta({ examples: ['Printers'] })

const tags = z
  .array(words(32).trim().min(1))
  .max(maxGroupTags)
  .refine((list) => new Set(list.map(nameKey)).size === list.length, 'must not name a tag twice')
  .meta({ description: 'Peers that have one of these tags are members too' })

const peerIds = z
  .array(idText)
  .max(maxMembers)
  .meta({ description: 'Members by hand; those in the group because of a tag are not among them' })

/** A group of peers. */
export const AccessGroup = z
  .object({
    id: z.uuid(),
    name: z.string(),
    color: GroupColor,
    tags: z.array(z.string()),
    member_count: wholeNumber.meta({ description: 'Peers in it, by hand or by tag' }),
    rule_count: wholeNumber.meta({ description: 'Rules that name it' }),
    created_at: Timestamp,
  })
  .meta({ id: 'AccessGroup' })
export type AccessGroup = z.infer<typeof AccessGroup>

/** The same with the peers that were put into it by hand. */
export const AccessGroupDetail = AccessGroup.extend({
  peers: z.array(z.object({ id: z.uuid(), name: z.string() })).meta({ description: 'Members by hand, by name' }),
}).meta({ id: 'AccessGroupDetail' })
export type AccessGroupDetail = z.infer<typeof AccessGroupDetail>

/** A group to create. */
export const AccessGroupCreate = z
  .strictObject({
    name: groupName,
    color: GroupColor.default('blue'),
    tags: tags.default([]),
    peer_ids: peerIds.default([]),
  })
  .meta({ id: 'AccessGroupCreate' })
export type AccessGroupCreate = z.infer<typeof AccessGroupCreate>

export const AccessGroupUpdate = z
  .strictObject({
    name: groupName.optional(),
    color: GroupColor.optional(),
    tags: tags.optional(),
    peer_ids: peerIds.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'AccessGroupUpdate' })
export type AccessGroupUpdate = z.infer<typeof AccessGroupUpdate>

export const AccessGroupListQuery = z.strictObject({
  ...pageQuery(100),
  peer: idText.optional().meta({ description: 'Only groups that this peer is in' }),
})
export type AccessGroupListQuery = z.infer<typeof AccessGroupListQuery>

const everybody = z.strictObject({ kind: z.literal('everybody') })
const group = z.strictObject({ kind: z.literal('group'), id: idText })
const peer = z.strictObject({ kind: z.literal('peer'), id: idText })

const from = z
  .discriminatedUnion('kind', [everybody, group, peer])
  .meta({ description: 'Peers that begin a connection' })
const to = z
  .discriminatedUnion('kind', [
    everybody,
    group,
    peer,
    z.strictObject({
      kind: z.literal('network'),
      network: plainText(64).meta({
        description: 'An address, or a network in CIDR form',
        examples: ['192.168.1.0/24'],
      }),
    }),
    z.strictObject({ kind: z.literal('internet') }),
    z.strictObject({ kind: z.literal('gateway') }),
  ])
  .meta({
    description:
      '`everybody`: all addresses in the tunnels; `internet`: addresses that are neither private nor in a tunnel; `gateway`: this host itself, whatever its address',
  })
/** What a rule is about, by ids. */
export type AccessTargetInput = z.infer<typeof to>

const Protocol = z.enum(['any', 'tcp', 'udp', 'icmp'])
const Action = z.enum(['allow', 'deny'])

const ports = z
  .array(z.string().regex(/^\d{1,5}(-\d{1,5})?$/, 'must be a port or a range such as 8000-8080'))
  .max(maxPorts)
  .meta({
    description: 'Ports and ranges, with TCP and UDP alone; none for every port',
    examples: [['443', '8000-8080']],
  })

const position = z
  .int()
  .min(1)
  .max(maxRules)
  .meta({ description: 'Place in the order, from 1; the first match decides' })
const note = words(200)

const end = <Kind extends z.ZodType>(kind: Kind) =>
  z.object({
    kind,
    id: z.uuid().nullable().meta({ description: 'Of the group or peer' }),
    name: z.string().nullable().meta({ description: 'Of the group or peer' }),
    network: z.string().nullable(),
  })

/** A rule: the first one that matches a new connection decides. */
export const AccessRule = z
  .object({
    id: z.uuid(),
    position,
    from: end(z.enum(['everybody', 'group', 'peer'])),
    to: end(z.enum(['everybody', 'group', 'peer', 'network', 'internet', 'gateway'])),
    protocol: Protocol,
    ports: z.array(z.string()),
    action: Action,
    enabled: z.boolean(),
    note: z.string(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'AccessRule' })
export type AccessRule = z.infer<typeof AccessRule>

/** A rule to create. */
export const AccessRuleCreate = z
  .strictObject({
    from,
    to,
    protocol: Protocol.default('any'),
    ports: ports.default([]),
    action: Action,
    enabled: z.boolean().default(true),
    note: note.default(''),
    position: position.optional().meta({ description: 'Place in the order, from 1; the last one when left out' }),
  })
  .meta({ id: 'AccessRuleCreate' })
export type AccessRuleCreate = z.infer<typeof AccessRuleCreate>

export const AccessRuleUpdate = z
  .strictObject({
    from: from.optional(),
    to: to.optional(),
    protocol: Protocol.optional(),
    ports: ports.optional(),
    action: Action.optional(),
    enabled: z.boolean().optional(),
    note: note.optional(),
    position: position.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'AccessRuleUpdate' })
export type AccessRuleUpdate = z.infer<typeof AccessRuleUpdate>

export const AccessRuleListQuery = z.strictObject({
  ...pageQuery(100),
  limit: z.coerce.number().int().min(1).max(maxRules).default(100),
})
export type AccessRuleListQuery = z.infer<typeof AccessRuleListQuery>

export const AccessParams = z.object({ id: idText })

/** A deleted rule or group. */
export const AccessDeleted = z.object({ id: z.uuid() }).meta({ id: 'AccessDeleted' })

/** Action for what no rule matches, on one interface. */
export const AccessDefault = z.object({ interface: z.string(), action: Action }).meta({ id: 'AccessDefault' })
export type AccessDefault = z.infer<typeof AccessDefault>

export const AccessDefaultParams = z.object({ name: plainText(64).min(1) })
export const AccessDefaultUpdate = z.strictObject({ action: Action }).meta({ id: 'AccessDefaultUpdate' })

export const AccessQuestion = z.strictObject({
  from: words(64).min(1).meta({ description: 'Id or name of the peer that begins the connection' }),
  to: words(64)
    .min(1)
    .meta({
      description: 'Id or name of a peer, an address, `internet` or `gateway`',
      examples: ['printer', '10.8.0.7'],
    }),
  protocol: z.enum(['tcp', 'udp', 'icmp']).default('tcp'),
  port: z.coerce.number().int().min(1).max(65_535).optional().meta({ description: 'With TCP and UDP' }),
})
export type AccessQuestion = z.infer<typeof AccessQuestion>

/** Whether a peer reaches something, and why. */
export const AccessExplanation = z
  .object({
    action: Action,
    because: z
      .enum(['disabled', 'host', 'address', 'isolation', 'forwarding', 'always', 'rule', 'default'])
      .meta({ description: 'What decided' }),
    message: z.string().meta({ description: 'The answer as a sentence' }),
    rule: AccessRule.nullable().meta({ description: 'The rule that decided' }),
    steps: z.array(z.string()).meta({ description: 'What was looked at, in order' }),
    from: z.object({ id: z.uuid(), name: z.string() }),
    to: z.object({ id: z.uuid().nullable(), name: z.string(), address: z.string() }),
  })
  .meta({ id: 'AccessExplanation' })
export type AccessExplanation = z.infer<typeof AccessExplanation>
