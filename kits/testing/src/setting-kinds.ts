import type { SettingKind } from '@hearth/runtime'
import { globalRegistry, z } from 'zod'

/** Wrong values of each kind of setting, as far as their text alone decides; the empty list where none is wrong. */
export const wrongTexts: Readonly<Record<SettingKind | 'choice', readonly string[]>> = {
  'address list': ['a b', 'http//nowhere', '-x-:0'],
  choice: ['maybe', '1', 'TRUE '],
  'directory list': ['logs', '/var/log,logs', ','],
  file: [' ', '\t', '   '],
  'header name': ['X Forwarded', 'X:Y', 'X-Forwarded-For, X'],
  host: ['a b', '-', 'host:80'],
  'IP address': ['localhost', '1.2.3', '1.2.3.4/24'],
  'network list': ['*', 'localhost', '10.0.0.0/33'],
  number: ['ten', '-1', '1e3'],
  'own form': [],
  program: ['program', './program', ' '],
  secret: ['short', 'not a key!', '0123456789abcdef'],
  text: [],
  'web address': ['nowhere', 'ftp://example.org', 'https://user:word@example.org'],
}

/** The kind of value that a setting's schema reads. Throws for a schema that says none. */
export function kindOfSetting(name: string, schema: z.core.$ZodType): SettingKind | 'choice' {
  const kind = findKind(schema)
  if (kind === undefined) throw new Error(`${name}: the schema has no settingKind`)
  return kind
}

/** Schemas inside another one: of a default or an optional value, and on both sides of a transformation. */
type Inner = z.core.$ZodTypeDef & Readonly<Partial<Record<'innerType' | 'in' | 'out', z.core.$ZodType>>>

function findKind(schema: z.core.$ZodType): SettingKind | 'choice' | undefined {
  const known = globalRegistry.get(schema)?.['settingKind'] as SettingKind | undefined
  if (known !== undefined) return known
  if (schema instanceof z.ZodEnum) return 'choice'
  const { innerType, in: input, out } = schema._zod.def as Inner
  return [innerType, out, input].flatMap((inner) => (inner === undefined ? [] : (findKind(inner) ?? [])))[0]
}
