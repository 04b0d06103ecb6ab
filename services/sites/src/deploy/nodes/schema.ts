import { z } from 'zod'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be lower-case letters, digits, "-" and ".", at most 63')

const port = z.int().min(1).max(65_535)

/** A Caddy server and its state. */
export const Node = z
  .object({
    id: z.int(),
    name: z.string(),
    admin_url: z.string().meta({ description: 'The admin endpoint, `http://host:port` or `unix//path`' }),
    is_own: z.boolean().meta({ description: 'Whether this service runs the Caddy itself' }),
    http_port: z.int(),
    https_port: z.int(),
    bind: z.array(z.string()),
    log_file: z.string().nullable(),
    onboarded: z.boolean(),
    reachable: z.boolean(),
    error: z.string().nullable(),
    checked_at: z.iso.datetime().nullable(),
    version: z
      .string()
      .nullable()
      .meta({ description: 'Where it is known: `2.6` for what lacks the newer capabilities' }),
    capabilities: z.record(z.string(), z.boolean()).nullable(),
    state: z.enum(['unknown', 'in_sync', 'pending', 'drifted', 'unreachable', 'not_onboarded']),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Node' })
export type Node = z.infer<typeof Node>

export const NodeCreate = z
  .strictObject({
    name,
    admin_url: z.string().max(300),
    http_port: port.default(80),
    https_port: port.default(443),
    bind: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .max(16)
      .default([]),
    log_file: z.string().max(4096).regex(/^\//, 'must be an absolute path').nullable().default(null),
  })
  .meta({ id: 'NodeCreate' })
export type NodeCreate = z.infer<typeof NodeCreate>

export const NodeUpdate = z
  .strictObject({
    name: name.optional(),
    http_port: port.optional(),
    https_port: port.optional(),
    bind: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .max(16)
      .optional(),
    log_file: z.string().max(4096).regex(/^\//, 'must be an absolute path').nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'NodeUpdate' })
export type NodeUpdate = z.infer<typeof NodeUpdate>

export const NodeParams = z.object({ id: z.coerce.number().int().min(1) })

export const NodeOnboard = z
  .strictObject({
    confirm_exclusive: z
      .boolean()
      .default(false)
      .meta({ description: 'What it serves now is replaced; needed when it serves something' }),
  })
  .meta({ id: 'NodeOnboard' })
