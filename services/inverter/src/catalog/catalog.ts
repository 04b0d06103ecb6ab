import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { phraseOfZodIssue } from '@hearth/http'
import { OperatorError } from '@hearth/runtime'
import type { z } from 'zod'
import type { WireType } from '../protocol/wire-value.ts'
import { AllowlistFile, RegistryFile, type AllowlistEntry, type ValueType } from './schema.ts'

/** One object of the vendor's protocol, known on the API by its metric name. */
export type CatalogObject = Readonly<ReturnType<typeof objectOf>>

/** The vendor's objects and what may be written to them. */
export type Catalog = Readonly<ReturnType<typeof loadCatalog>>

const shipped = fileURLToPath(new URL('objects.json', import.meta.url))

/** Names of secrets that are neither readable nor writable; a registry or allowlist that lists one stops the start. */
const secretNames = new Set(['wifi_password', 'wifi.password'])
const secretId = '0x14C0E627'

/**
 * Reads and checks the registry and the write allowlist: the shipped ones, or the files at these paths. Throws an
 * `OperatorError` of one line that names the file's setting and the entry that is wrong.
 */
export function loadCatalog(files: { registry?: string | undefined; allowlist?: string | undefined } = {}) {
  const registry = readFile(RegistryFile, files.registry ?? shipped, 'OBJECT_REGISTRY_FILE')
  const allowlistSetting = files.allowlist === undefined ? 'OBJECT_REGISTRY_FILE' : 'WRITE_ALLOWLIST_FILE'
  const entries =
    files.allowlist === undefined
      ? registry.write_allowlist
      : readFile(AllowlistFile, files.allowlist, allowlistSetting)
  const objects = registry.objects.map((object) => objectOf(object, registry))
  const byName = uniqueBy(objects, (object) => object.name)
  const byId = uniqueBy(objects, (object) => object.objectId)
  checkRoles(registry, byName)
  return {
    objects,
    allowlist: allowlistOf(entries, byName, allowlistSetting),
    /** Metric names of the objects that the service uses itself. */
    roles: {
      preselected: registry.defaults.preselected,
      energyFlow: registry.defaults.energy_flow,
      periodic: registry.defaults.periodic,
      heartbeat: registry.defaults.heartbeat,
      dispatchRegisters: registry.defaults.dispatch_registers,
      prometheusNames: registry.defaults.prometheus_name,
    },
    /** Labels of fault bits 0 to 127. */
    faultLabels: registry.fault_bits.labels,
    eventLabels: numericLabels(registry.event_types),
    /** Labels of the bits of `battery.status`, by mask. */
    batteryStatusLabels: numericLabels(registry.bits.battery_status),
    byName: (name: string): CatalogObject | undefined => byName.get(name),
    byId: (objectId: number): CatalogObject | undefined => byId.get(objectId),
  }
}

/** Reads a JSON file that a setting or option names; throws an `OperatorError` when it cannot be read. */
export function readJsonFile(path: string, setting: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${setting}: cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
}

function readFile<S extends z.ZodType>(schema: S, path: string, setting: string): z.output<S> {
  const content = readJsonFile(path, setting)
  refuseSecrets(content, setting)
  const result = schema.safeParse(content)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.map(String).join('.') ?? ''
  throw new OperatorError(
    `${setting}: ${where === '' ? 'the file' : where} ${issue === undefined ? 'is not valid' : phraseOfZodIssue(issue)}`,
  )
}

/** Refuses secrets before anything else is checked, so that no other mistake in the file hides them. */
function refuseSecrets(content: unknown, setting: string): void {
  const file = content as { objects?: unknown; write_allowlist?: unknown } | unknown[] | null
  const lists = Array.isArray(file) ? [file] : [file?.objects, file?.write_allowlist]
  for (const entry of lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))) {
    const { name, metric, id } = (entry ?? {}) as Record<string, unknown>
    const isSecret =
      [name, metric].some((text) => typeof text === 'string' && secretNames.has(text.toLowerCase())) ||
      (typeof id === 'string' && id.toUpperCase() === secretId.toUpperCase())
    if (isSecret) throw new OperatorError(`${setting}: wifi_password is a secret and may not be listed`)
  }
}

const widths: Partial<Record<WireType, number>> = {
  bool: 1,
  uint8: 1,
  int8: 1,
  enum: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float: 4,
}

function objectOf(object: RegistryFile['objects'][number], registry: RegistryFile) {
  const labels = object.enum === undefined ? undefined : registry.enums[object.enum]
  if (object.enum !== undefined && labels === undefined)
    throw new OperatorError(`OBJECT_REGISTRY_FILE: ${object.metric} names the unknown enum ${object.enum}`)
  return {
    objectId: Number.parseInt(object.id, 16),
    vendorName: object.name,
    name: object.metric,
    type: object.type,
    /** Bytes of a value; undefined for text and structures. */
    width: object.byte_width ?? widths[object.type],
    valueType: object.value_type ?? valueTypeOf(object.type),
    /** Unit of the value on the API. */
    unit: object.unit,
    /** API value = wire value * scale. */
    scale: object.scale ?? 1,
    enumLabels: labels === undefined ? undefined : numericLabels(labels),
    group: object.group,
    isAction: object.action ?? false,
    /** Writing the same value twice is the same as writing it once, so a write that left no byte may be tried again. */
    isIdempotent: object.idempotent_write ?? false,
    /** Kind of answer to a written time; set for logger objects. */
    response: object.response,
    /** Layout of the bytes behind a text object that holds no text. */
    structHint: object.struct_hint ?? object.struct,
    helpText: object.help_text,
  }
}

function valueTypeOf(type: WireType): ValueType {
  if (type === 'bool') return 'boolean'
  if (type === 'float') return 'number'
  if (type === 'enum') return 'enum'
  return type === 'string' || type === 'struct' ? 'string' : 'integer'
}

function uniqueBy<K>(objects: readonly CatalogObject[], key: (object: CatalogObject) => K): Map<K, CatalogObject> {
  const map = new Map<K, CatalogObject>()
  for (const object of objects) {
    if (map.has(key(object)))
      throw new OperatorError(`OBJECT_REGISTRY_FILE: ${object.name} has the name or id of another object`)
    map.set(key(object), object)
  }
  return map
}

function checkRoles({ defaults }: RegistryFile, byName: ReadonlyMap<string, CatalogObject>): void {
  const named = Object.entries(defaults).flatMap(([role, names]) =>
    (Array.isArray(names) ? names : typeof names === 'string' ? [names] : Object.keys(names)).map((name) => ({
      role,
      name,
    })),
  )
  const missing = named.find(({ name }) => !byName.has(name))
  if (missing !== undefined)
    throw new OperatorError(`OBJECT_REGISTRY_FILE: defaults.${missing.role} names the unknown metric ${missing.name}`)
}

function allowlistOf(
  entries: readonly AllowlistEntry[],
  byName: ReadonlyMap<string, CatalogObject>,
  setting: string,
): Map<string, AllowlistEntry> {
  const allowlist = new Map<string, AllowlistEntry>()
  for (const entry of entries) {
    const object = byName.get(entry.name)
    if (object === undefined) throw new OperatorError(`${setting}: ${entry.name} is no object of the registry`)
    if (object.objectId !== Number.parseInt(entry.id, 16) || object.type !== entry.type)
      throw new OperatorError(`${setting}: ${entry.name} has another id or type than the registry`)
    if (object.type === 'struct')
      throw new OperatorError(`${setting}: ${entry.name} is a structure and cannot be written`)
    if (allowlist.has(entry.name)) throw new OperatorError(`${setting}: ${entry.name} is listed twice`)
    allowlist.set(entry.name, entry)
  }
  return allowlist
}

/** Numbers written in decimal or as `0x…`; other members, such as a note on the source, are left out. */
function numericLabels(labels: Readonly<Record<string, unknown>>): Map<number, string> {
  const pairs = Object.entries(labels).filter(([key]) => /^(0x[0-9a-f]+|\d+)$/i.test(key))
  return new Map(pairs.map(([key, label]) => [Number(key), String(label)]))
}
