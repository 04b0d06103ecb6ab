import { z } from 'zod'
import { idText, pageQuery, plainText, Timestamp, wholeNumber } from '../../envelope.ts'
import { weekdays } from './schedule.ts'

/** Profiles, at most. */
export const maxProfiles = 100
const maxProfileRules = 1000
const maxPeers = 10_000
const maxTimes = 28

const lines = /[\p{Cc}\p{Zl}\p{Zp}]/u

const name = plainText(64)
  .refine((text) => !lines.test(text), 'must not contain control characters')
  .trim()
  .min(1)
  .meta({ examples: ['Children'] })

const lists = z
  .array(idText)
  .max(32)
  .nullable()
  .meta({ description: 'Ids of the lists that hold; null for all that are enabled' })

const ProfileRule = z.strictObject({
  action: z.enum(['block', 'allow']),
  domain: plainText(255)
    .min(1)
    .meta({ description: 'A domain with everything below it, or `*.example.com`: only what is below that' }),
})

const rules = z.array(ProfileRule).max(maxProfileRules).meta({
  description:
    'Rules for the devices of the profile: they come after the rules for a device, and before those for everyone',
})

const services = z
  .array(plainText(64).min(1))
  .max(200)
  .meta({
    description: 'Ids of services that are off as a whole, see `GET /api/dns/services`',
    examples: [['youtube']],
  })

const BlockMode = z
  .enum(['zero_ip', 'nxdomain', 'refused'])
  .nullable()
  .meta({ description: 'How a blocked name is answered; null: as the settings say' })

const safeSearch = z
  .boolean()
  .meta({ description: 'Google, Bing, DuckDuckGo, Ecosia, Brave and Pixabay answer with their filter on' })

const Youtube = z
  .enum(['moderate', 'strict'])
  .nullable()
  .meta({ description: 'Restricted mode of YouTube; null: none' })

const selfPause = z.int().min(0).max(1440).meta({
  description:
    'Minutes for which a device may pause its filter on the page inside the tunnel, each time at most; 0 for never',
})

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 07:30')

const ScheduleTime = z.strictObject({
  days: z.array(z.enum(weekdays)).min(1).max(7).meta({ description: 'Days on which it begins' }),
  from: clock,
  to: z
    .string()
    .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 07:30, or 24:00')
    .meta({ description: 'A time that is not after `from` is one of the next day' }),
})

const schedule = z
  .strictObject({
    time_zone: plainText(64)
      .min(1)
      .nullable()
      .meta({ description: 'IANA name; null for the time zone of the service', examples: ['Europe/Berlin'] }),
    times: z.array(ScheduleTime).min(1).max(maxTimes),
    otherwise: idText
      .nullable()
      .meta({ description: 'Id of the profile for the rest of the time, with its own schedule; null for none' }),
  })
  .nullable()
  .meta({
    description:
      'When the profile holds; null: always. A time that clocks show twice begins with the first and ends with the second; one that they skip is the moment in which they do',
  })

const peerIds = z.array(idText).max(maxPeers)
const groupIds = z.array(idText).max(200)
const interfaces = z.array(plainText(64).min(1)).max(200)

const assignments = {
  peer_ids: peerIds.meta({
    description: 'Devices of the profile. A device, group or interface has one profile: this takes it from another one',
  }),
  group_ids: groupIds.meta({ description: 'Groups of access rules whose devices have the profile' }),
  interfaces: interfaces.meta({ description: 'Interfaces whose devices have the profile' }),
}

const Named = z.object({ id: z.uuid(), name: z.string() })

/** Which profile holds for devices, and what comes next. */
const state = {
  holds: Named.nullable().meta({ description: 'The profile that holds now; null: the settings for all devices' }),
  paused_until: Timestamp.nullable().meta({ description: 'Nothing is blocked for these devices until then' }),
  next: z
    .object({ at: Timestamp, profile: Named.nullable() })
    .nullable()
    .meta({ description: 'The next change by a schedule within eight days, and what holds then' }),
}

/** A profile of the filter. */
export const DnsProfile = z
  .object({
    id: z.uuid(),
    name: z.string(),
    lists: z.array(z.string()).nullable(),
    rules: z.array(z.object({ action: z.enum(['block', 'allow']), domain: z.string() })),
    services: z.array(z.string()),
    block_mode: BlockMode,
    safe_search: safeSearch,
    youtube: Youtube,
    self_pause_minutes: selfPause,
    schedule: z
      .object({
        time_zone: z.string().nullable(),
        times: z.array(z.object({ days: z.array(z.enum(weekdays)), from: z.string(), to: z.string() })),
        otherwise: z.uuid().nullable(),
      })
      .nullable(),
    peer_count: wholeNumber.meta({ description: 'Devices that it is assigned to themselves' }),
    groups: z.array(Named),
    interfaces: z.array(z.string()),
    state: z.object(state),
    created_at: Timestamp,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'DnsProfile' })
export type DnsProfile = z.infer<typeof DnsProfile>

/** The same with the devices that it is assigned to. */
export const DnsProfileDetail = DnsProfile.extend({ peers: z.array(Named) }).meta({ id: 'DnsProfileDetail' })
export type DnsProfileDetail = z.infer<typeof DnsProfileDetail>

/** A new profile. */
export const DnsProfileCreate = z
  .strictObject({
    name,
    lists: lists.default(null),
    rules: rules.default([]),
    services: services.default([]),
    block_mode: BlockMode.default(null),
    safe_search: safeSearch.default(false),
    youtube: Youtube.default(null),
    self_pause_minutes: selfPause.default(0),
    schedule: schedule.default(null),
    peer_ids: assignments.peer_ids.default([]),
    group_ids: assignments.group_ids.default([]),
    interfaces: assignments.interfaces.default([]),
  })
  .meta({ id: 'DnsProfileCreate' })
export type DnsProfileCreate = z.infer<typeof DnsProfileCreate>

export const DnsProfileUpdate = z
  .strictObject({
    name,
    lists,
    rules,
    services,
    block_mode: BlockMode,
    safe_search: safeSearch,
    youtube: Youtube,
    self_pause_minutes: selfPause,
    schedule,
    ...assignments,
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'DnsProfileUpdate' })
export type DnsProfileUpdate = z.infer<typeof DnsProfileUpdate>

export const DnsProfileListQuery = z.strictObject({
  ...pageQuery(100),
  search: plainText(64).optional().meta({ description: 'Part of a name' }),
})
export type DnsProfileListQuery = z.infer<typeof DnsProfileListQuery>

export const DnsProfileParams = z.object({ id: idText })

export const DnsProfileDeleted = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'DnsProfileDeleted' })

export const DnsProfilePause = z
  .strictObject({
    seconds: z.int().min(1).max(604_800).meta({ description: 'How long nothing is blocked for its devices' }),
  })
  .meta({ id: 'DnsProfilePause' })

/** The profile of a peer. */
export const PeerDnsProfile = z
  .object({
    id: z.uuid(),
    assigned: Named.nullable().meta({ description: 'The profile it is in; null: the settings for all devices' }),
    by: z.enum(['peer', 'group', 'interface']).nullable().meta({ description: 'What it is assigned to' }),
    via: z.string().nullable().meta({ description: 'Name of the group or the interface' }),
    own: Named.nullable().meta({ description: 'The profile that is assigned to the peer itself' }),
    ...state,
  })
  .meta({ id: 'PeerDnsProfile' })
export type PeerDnsProfile = z.infer<typeof PeerDnsProfile>

/** The profile of the explained client, and why it is that one. */
export const ExplainedProfile = z
  .object({
    assigned: Named,
    by: z.enum(['peer', 'group', 'interface']).meta({ description: 'What it is assigned to' }),
    via: z.string().nullable().meta({ description: 'Name of the group or the interface' }),
    ...state,
    because: z.string().meta({ description: 'The same as a sentence' }),
  })
  .meta({ id: 'DnsExplainedProfile' })
export type ExplainedProfile = z.infer<typeof ExplainedProfile>

export const PeerDnsProfileUpdate = z
  .strictObject({
    profile_id: idText
      .nullable()
      .meta({ description: 'Profile of the peer itself; null: that of its group or interface' }),
  })
  .meta({ id: 'PeerDnsProfileUpdate' })

/** A service that can be switched off as a whole. */
const DnsService = z
  .object({
    id: z.string(),
    name: z.string(),
    category: z.enum(['social', 'messages', 'video', 'music', 'games', 'assistants']),
    names: z.array(z.string()).meta({ description: 'Domains that it needs, each with everything below it' }),
  })
  .meta({ id: 'DnsService' })

export const DnsServices = z.array(DnsService).meta({ id: 'DnsServices' })
