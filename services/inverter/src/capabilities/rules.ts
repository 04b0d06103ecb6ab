import { Problem } from '../problems.ts'
import {
  type Capability,
  type CapabilityCopied,
  type CapabilityCopy,
  CapabilityName,
  type CapabilityUpdate,
  type EvidenceField,
} from './schema.ts'

/** Name of the person who verified, and the time; milliseconds since the epoch. */
interface Verifier {
  readonly name: string
  readonly at: number
}

/**
 * The record a PUT makes out of its body. Throws 422 for evidence another capability governs, and 400 for a verification
 * without its evidence, without model or firmware, or of the write path without a note.
 */
export function replaceCapability(name: CapabilityName, update: CapabilityUpdate, witness: Verifier): Capability {
  refuseForeignEvidence(name, update)
  const given = evidenceFields.filter((field) => (update[field] ?? null) !== null)
  const record: Capability = {
    ...unverifiedCapability(name),
    ...Object.fromEntries(given.map((field) => [field, update[field]])),
    status: update.status,
    verified_device_model: update.verified_device_model ?? null,
    verified_firmware: update.verified_firmware ?? null,
    note: update.note ?? null,
  }
  if (update.status === 'unverified') return record
  refuseUnproven(record)
  return { ...record, verified_at: new Date(witness.at).toISOString(), verified_by: witness.name }
}

function refuseForeignEvidence(name: CapabilityName, update: CapabilityUpdate): void {
  const foreign = evidenceFields.filter((field) => (update[field] ?? null) !== null && !isGovernedBy(field, name))
  if (foreign.length === 0) return
  throw new Problem('invalid_request', `${name} does not govern ${foreign.join(', ')}`, {
    errors: errorsOf(foreign, `is not governed by ${name}`),
  })
}

const errorsOf = (parameters: readonly string[], detail: string) =>
  parameters.map((parameter) => ({ parameter, code: 'invalid_request', detail }))

function refuseUnproven(record: Capability): void {
  const needed = ['verified_device_model', 'verified_firmware', ...neededEvidence(record)] as const
  const missing: string[] = needed.filter((field) => record[field] === null)
  if (record.name === 'write_path_convention' && (record.note ?? '').trim() === '') missing.push('note')
  if (missing.length === 0) return
  throw new Problem('invalid_request', `${record.name} cannot be verified without ${missing.join(', ')}`, {
    status: 400,
    errors: errorsOf(missing, 'is needed for a verification'),
  })
}

function neededEvidence(record: Capability): EvidenceField[] {
  switch (record.name) {
    case 'write_path_convention':
      return ['soc_strategy_external_code']
    case 'export_limit_convention':
      return ['export_limit_zero_blocks_export']
    case 'setpoint_volatility':
      return record.volatile === true ? ['volatile', 'refresh_interval_seconds'] : ['volatile']
    case 'battery_power_sign_convention':
    case 'grid_power_sign_convention':
      return []
  }
}

/** After a firmware update: what was verified on another one is unverified; its evidence is kept. */
export function afterFirmware(record: Capability, firmware: string): Capability {
  return record.verified_firmware === firmware ? record : unverified(record)
}

/** Marks a record unverified; its evidence is kept. */
export function unverified(record: Capability): Capability {
  return record.status === 'verified' ? { ...record, status: 'unverified' } : record
}

/** Splits the records of a device into those that hold for another device of this model and firmware, and the rest. */
export function chooseCopies(
  source: readonly Capability[],
  target: Pick<CapabilityCopy, 'target_device_model' | 'target_firmware'>,
): { copied: Capability[]; notCopied: CapabilityCopied['not_copied'] } {
  const reasonAgainst = (record: Capability) => {
    if (record.status !== 'verified') return 'not_verified' as const
    if (record.verified_device_model !== target.target_device_model) return 'other_device_model' as const
    return record.verified_firmware === target.target_firmware ? undefined : ('other_firmware' as const)
  }
  return {
    copied: source.filter((record) => reasonAgainst(record) === undefined),
    notCopied: source.flatMap((record) => {
      const reason = reasonAgainst(record)
      return reason === undefined ? [] : [{ name: record.name, reason }]
    }),
  }
}

type Evidence = Pick<Capability, EvidenceField>

/** Capability that governs each evidence field, and the value assumed until it is recorded. */
const fields: { readonly [Name in EvidenceField]: { by: CapabilityName; assumed: Evidence[Name] } } = {
  battery_discharge_positive: { by: 'battery_power_sign_convention', assumed: true },
  grid_import_positive: { by: 'grid_power_sign_convention', assumed: true },
  soc_strategy_external_code: { by: 'write_path_convention', assumed: null },
  enum_byte_width: { by: 'write_path_convention', assumed: null },
  bool_byte_width: { by: 'write_path_convention', assumed: null },
  write_frame_layout_verified: { by: 'write_path_convention', assumed: false },
  apply_sequence_verified: { by: 'write_path_convention', assumed: false },
  sequence_order_relevant: { by: 'write_path_convention', assumed: null },
  soc_target_unit: { by: 'write_path_convention', assumed: 'ratio' },
  export_limit_zero_blocks_export: { by: 'export_limit_convention', assumed: null },
  volatile: { by: 'setpoint_volatility', assumed: null },
  refresh_interval_seconds: { by: 'setpoint_volatility', assumed: null },
}

/** All evidence fields, in the order of the record. */
export const evidenceFields = Object.keys(fields) as readonly EvidenceField[]

/** Every capability there is. */
export const capabilityNames: readonly CapabilityName[] = CapabilityName.options

export const isGovernedBy = (field: EvidenceField, name: CapabilityName): boolean => fields[field].by === name

/** The evidence of a capability of which nothing is known: assumptions where it governs, null elsewhere. */
export function assumedEvidence(name: CapabilityName): Evidence {
  return Object.fromEntries(
    evidenceFields.map((field) => [field, isGovernedBy(field, name) ? fields[field].assumed : null]),
  ) as Evidence
}

/** A capability as a fresh database has it. */
export const unverifiedCapability = (name: CapabilityName): Capability => ({
  name,
  status: 'unverified',
  ...assumedEvidence(name),
  verified_device_model: null,
  verified_firmware: null,
  verified_at: null,
  verified_by: null,
  note: null,
})
