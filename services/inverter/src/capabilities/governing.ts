import { CapabilityName, type Capability, type EvidenceField } from './schema.ts'

type Evidence = Pick<Capability, EvidenceField>

/** Which capability governs an evidence field, and what is assumed until somebody says otherwise. */
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
