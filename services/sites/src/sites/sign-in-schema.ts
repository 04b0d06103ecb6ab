import { z } from 'zod'

/** Name of a group of users: lower case letters, digits, dots, underscores and hyphens. */
export const GroupName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9._-]{1,50}$/, 'must be 1 to 50 letters, digits, dots, underscores or hyphens')

/** Most groups of users that there may be. */
export const maxGroups = 200

const groups = z.array(GroupName).max(64).default([])

/** An exception of a protected site: which requests it is about, and what they need. */
export const SignInRule = z
  .strictObject({
    match: z.enum(['prefix', 'exact']).default('prefix'),
    path: z.string().min(1).max(1024).default('/'),
    methods: z
      .array(z.string().regex(/^[A-Z]{1,20}$/, 'must be a method in capitals, such as GET'))
      .max(16)
      .default([])
      .meta({ description: 'Methods it is about; empty for all' }),
    networks: z
      .array(z.string().max(64))
      .max(64)
      .default([])
      .meta({ description: 'Networks of visitors it is about; empty for all' }),
    access: z.enum(['open', 'sign_in', 'denied']).meta({
      description:
        'open: for everybody; sign_in: for the groups, or for every user when none is named; denied: for nobody',
    }),
    groups,
  })
  .meta({ id: 'SignInRule' })
export type SignInRule = z.infer<typeof SignInRule>

/** Visitors of the site sign in first. The first rule that a request meets decides; without one the groups of the site do. */
export const SiteSignIn = z
  .strictObject({
    groups: groups.meta({ description: 'Groups that may visit the site; empty for every user' }),
    rules: z.array(SignInRule).max(50).default([]),
  })
  .meta({ id: 'SiteSignIn' })
export type SiteSignIn = z.infer<typeof SiteSignIn>

/** Returns the names of the groups that a site names. */
export const groupsOf = (signIn: SiteSignIn | null): string[] =>
  signIn === null ? [] : [...signIn.groups, ...signIn.rules.flatMap((rule) => rule.groups)]
