import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createAddressSet, createServer, describeApi, type ApiDescription } from '@hearth/http'
import { createLog, createManualClock } from '@hearth/runtime'
import {
  assert as assertProperty,
  boolean,
  constantFrom,
  integer,
  option,
  property,
  record,
  type Arbitrary,
} from 'fast-check'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { Problem, ProblemDocument, toError } from '../problems.ts'
import { Capabilities, type CapabilityDependencies } from './capabilities.ts'
import { isAffected, requiredCapabilities } from '../dispatch/gate.ts'
import { capabilityRoutes } from './routes.ts'
import {
  assumedEvidence,
  capabilityNames,
  evidenceFields,
  isGovernedBy,
  unverifiedCapability,
  replaceCapability,
} from './rules.ts'
import { Capability, CapabilityUpdate } from './schema.ts'

const witness = { name: 'admin', at: Date.parse('2026-11-21T12:00:00Z') }
const proof = { verified_device_model: 'Power Storage DC 6.0', verified_firmware: '5689' }
const writePath = { status: 'verified', ...proof, soc_strategy_external_code: 2, note: 'read back on site' } as const

const refusal =
  (status: number | undefined, ...names: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, 'invalid_request')
    assert.equal(error.facts.status, status)
    assert.deepEqual(
      error.facts.errors?.map(({ parameter }) => parameter),
      names,
    )
    return true
  }

test('a PUT replaces the whole record; omitted members get their defaults', () => {
  const record = replaceCapability('write_path_convention', { status: 'unverified', bool_byte_width: 4 }, witness)
  assert.equal(record.bool_byte_width, 4)
  assert.equal(record.soc_target_unit, 'ratio')
  assert.equal(record.write_frame_layout_verified, false)
  assert.equal(record.battery_discharge_positive, null)
  assert.equal(record.verified_at, null)
  const sign = replaceCapability('battery_power_sign_convention', { status: 'verified', ...proof }, witness)
  assert.equal(sign.battery_discharge_positive, true)
  assert.equal(sign.verified_at, '2026-11-21T12:00:00.000Z')
  assert.equal(sign.verified_by, 'admin')
})

test('a capability refuses evidence that belongs to another capability', () => {
  assert.throws(
    () => replaceCapability('grid_power_sign_convention', { status: 'unverified', enum_byte_width: 1 }, witness),
    refusal(undefined, 'enum_byte_width'),
  )
})

test('a verification is refused without its evidence', () => {
  const of = (name: (typeof capabilityNames)[number], update: object) => () =>
    replaceCapability(name, { status: 'verified', ...update }, witness)
  const both = ['verified_device_model', 'verified_firmware']
  assert.throws(of('grid_power_sign_convention', {}), refusal(400, ...both))
  assert.throws(of('write_path_convention', { ...writePath, note: '  ' }), refusal(400, 'note'))
  assert.throws(of('write_path_convention', { ...proof }), refusal(400, 'soc_strategy_external_code', 'note'))
  assert.throws(of('export_limit_convention', proof), refusal(400, 'export_limit_zero_blocks_export'))
  assert.throws(of('setpoint_volatility', { ...proof, volatile: true }), refusal(400, 'refresh_interval_seconds'))
  assert.equal(replaceCapability('write_path_convention', writePath, witness).status, 'verified')
})

const perhaps = <T>(value: Arbitrary<T>) => option(value, { nil: null })
const width = perhaps(integer({ min: 1, max: 4 }))
const text = perhaps(constantFrom('', 'x', 'seen'))
const updates: Arbitrary<CapabilityUpdate> = record(
  {
    status: constantFrom('verified', 'unverified'),
    battery_discharge_positive: perhaps(boolean()),
    grid_import_positive: perhaps(boolean()),
    soc_strategy_external_code: perhaps(integer({ min: 0, max: 255 })),
    enum_byte_width: width,
    bool_byte_width: width,
    soc_target_unit: perhaps(constantFrom('ratio', 'percent')),
    export_limit_zero_blocks_export: perhaps(boolean()),
    volatile: perhaps(boolean()),
    refresh_interval_seconds: perhaps(integer({ min: 5, max: 3600 })),
    verified_device_model: text,
    verified_firmware: text,
    note: text,
  },
  { requiredKeys: ['status'] },
)

test('a PUT stores only the evidence that belongs to its capability', () => {
  assertProperty(
    property(updates, constantFrom(...capabilityNames), (update, name) => {
      let record: Capability
      try {
        record = replaceCapability(name, update, witness)
      } catch (error) {
        return error instanceof Problem
      }
      assert.deepEqual(Capability.parse(record), record)
      return evidenceFields.every((field) => isGovernedBy(field, name) || record[field] === null)
    }),
  )
})

test('a note is short and printable', () => {
  for (const note of ['x'.repeat(201), 'Über', 'a\nb'])
    assert.equal(CapabilityUpdate.safeParse({ status: 'unverified', note }).success, false, note)
  assert.equal(CapabilityUpdate.safeParse({ status: 'unverified', name: 'x' }).success, false)
})

test('discharging to the load also requires the grid sign, charging below a limit too; setpoint volatility affects every mode', () => {
  assert.deepEqual(requiredCapabilities('hold', 4000), requiredCapabilities('charge_from_grid', null))
  assert.equal(isAffected('hold', ['grid_power_sign_convention'], 4000), false)
  assert.equal(isAffected('discharge_to_load', ['grid_power_sign_convention'], null), true)
  assert.equal(isAffected('charge_from_grid', ['grid_power_sign_convention'], null), false)
  assert.equal(isAffected('charge_from_grid', ['grid_power_sign_convention'], 4000), true)
  assert.equal(isAffected('hold', ['setpoint_volatility'], null), true)
  assert.equal(isAffected('hold', ['export_limit_convention'], null), false)
})

async function open(guarded: CapabilityDependencies['guarded'] = (_id, _names, change) => change()) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const warnings: unknown[] = []
  const log = createLog({ name: 'test', level: 'silent' })
  log.warn = (fields: unknown) => void warnings.push(fields)
  const devices = { find: (id: string) => (['a', 'b'].includes(id) ? { id } : undefined) }
  const clock = createManualClock(witness.at)
  const capabilities = new Capabilities({
    db: database.query,
    clock,
    log,
    devices,
    guarded,
    changed: () => undefined,
  })
  return { capabilities, database, warnings, [Symbol.asyncDispose]: () => database.close() }
}

test('a new device has every capability unverified, and verifying one device does not verify another', async () => {
  await using service = await open()
  const { capabilities } = service
  assert.deepEqual(await capabilities.list('a'), capabilityNames.map(unverifiedCapability))
  await capabilities.replace('a', { name: 'write_path_convention', update: writePath, by: 'admin' })
  assert.equal((await capabilities.list('a')).filter(({ status }) => status === 'verified').length, 1)
  assert.deepEqual(await capabilities.list('b'), capabilityNames.map(unverifiedCapability))
  await assert.rejects(capabilities.list('c'), { code: 'unknown_device' })
})

test('only capabilities verified on the same model and firmware are copied, each with a logged warning', async () => {
  await using service = await open()
  const { capabilities, warnings } = service
  const older = { status: 'verified', ...proof, verified_firmware: '4000' } as const
  const other = {
    status: 'verified',
    ...proof,
    verified_device_model: 'Other',
    export_limit_zero_blocks_export: true,
  } as const
  await capabilities.replace('a', { name: 'write_path_convention', update: writePath, by: 'x' })
  await capabilities.replace('a', { name: 'battery_power_sign_convention', update: older, by: 'x' })
  await capabilities.replace('a', { name: 'export_limit_convention', update: other, by: 'x' })
  const target = { target_device_model: proof.verified_device_model, target_firmware: proof.verified_firmware }
  const answer = await capabilities.copyFrom('b', { source_device_id: 'a', ...target, by: 'me' })
  assert.deepEqual(answer.copied, ['write_path_convention'])
  assert.deepEqual(answer.not_copied, [
    { name: 'battery_power_sign_convention', reason: 'other_firmware' },
    { name: 'grid_power_sign_convention', reason: 'not_verified' },
    { name: 'export_limit_convention', reason: 'other_device_model' },
    { name: 'setpoint_volatility', reason: 'not_verified' },
  ])
  assert.equal(warnings.length, 1)
  const copied = (await capabilities.list('b')).find(({ name }) => name === 'write_path_convention')
  assert.equal(copied?.verified_by, 'me')
  assert.equal(copied?.soc_strategy_external_code, 2)
  await assert.rejects(capabilities.copyFrom('b', { source_device_id: 'b', ...target, by: 'me' }), {
    code: 'invalid_request',
  })
  await assert.rejects(capabilities.copyFrom('b', { source_device_id: 'c', ...target, by: 'me' }), {
    code: 'invalid_request',
  })
})

test('a firmware update marks capabilities unverified and keeps their evidence; a reset deletes it', async () => {
  await using service = await open()
  const { capabilities } = service
  await capabilities.replace('a', { name: 'write_path_convention', update: writePath, by: 'x' })
  assert.deepEqual(await capabilities.firmwareChanged('a', proof.verified_firmware), [])
  assert.deepEqual(await capabilities.firmwareChanged('a', '6000'), ['write_path_convention'])
  const record = (await capabilities.list('a')).find(({ name }) => name === 'write_path_convention')
  assert.equal(record?.status, 'unverified')
  assert.equal(record?.soc_strategy_external_code, 2)
  await capabilities.reset('a')
  assert.deepEqual(await capabilities.list('a'), capabilityNames.map(unverifiedCapability))
})

test('an unreadable row counts as unverified', async () => {
  await using service = await open()
  const { capabilities, database } = service
  for (const [name, record] of [
    ['write_path_convention', '{'],
    ['grid_power_sign_convention', '{"status":"verified"}'],
  ] as const)
    await database.query.insertInto('capabilities').values({ device_id: 'a', name, record }).execute()
  assert.deepEqual(await capabilities.list('a'), capabilityNames.map(unverifiedCapability))
})

const about: ApiDescription = {
  title: 't',
  version: '1',
  description: '',
  errorBody: ProblemDocument,
  securitySchemes: {},
  security: () => [],
  tags: [],
}

test('routes replace and copy capabilities, and a refused change is not stored', async () => {
  let refuse = false
  await using service = await open((_id, _names, change) => {
    if (refuse)
      throw new Problem('dispatch_capability_conflict', 'busy', { members: { operation_id: 'x', mode: 'hold' } })
    return change()
  })
  const app = await createServer({
    routes: capabilityRoutes(service.capabilities),
    about,
    guard: () => Promise.resolve({ name: 'admin', via: { kind: 'operator' } }),
    toError: (error) => toError(error, { instance: '', correlationId: '' }),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: import.meta.dirname,
  })
  const base = '/admin/api/dispatch/devices/a/capabilities'
  const put = (name: string, payload: object) => app.inject({ method: 'PUT', url: `${base}/${name}`, payload })
  assert.equal((await put('write_path_convention', writePath)).statusCode, 200)
  assert.equal((await put('write_path_convention', { ...writePath, note: '' })).statusCode, 400)
  assert.equal((await put('write_path_convention', { status: 'unverified', volatile: true })).statusCode, 422)
  assert.equal((await put('nonsense', { status: 'unverified' })).statusCode, 422)
  refuse = true
  const conflict = await put('write_path_convention', { status: 'unverified' })
  assert.equal(conflict.statusCode, 409)
  assert.equal(conflict.json<{ operation_id: string }>().operation_id, 'x')
  refuse = false
  const list = (await app.inject({ url: base })).json<{ capabilities: Capability[] }>()
  assert.equal(list.capabilities[2]?.status, 'verified')
  const copy = { source_device_id: 'a', target_device_model: proof.verified_device_model, target_firmware: '5689' }
  const copied = await app.inject({
    method: 'POST',
    url: '/admin/api/dispatch/devices/b/capabilities:copy-from',
    payload: copy,
  })
  assert.equal(copied.statusCode, 200, copied.body)
  assert.deepEqual(copied.json<{ copied: string[] }>().copied, ['write_path_convention'])
  const document = await describeApi(capabilityRoutes, about)()
  assert.ok(JSON.stringify(document).includes('/capabilities:copy-from'))
  await app.close()
})

test('a capability assumes no evidence of other capabilities', () => {
  for (const name of capabilityNames)
    assert.ok(evidenceFields.every((field) => isGovernedBy(field, name) || assumedEvidence(name)[field] === null))
})
