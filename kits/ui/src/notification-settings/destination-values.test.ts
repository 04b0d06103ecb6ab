import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api-error.ts'
import { atInputs, blankForm, eventsText, formOf, newSigningSecret, timesText, valuesOf } from './destination-values.ts'
import type { NotificationDestination, NotificationRules } from './notification-api.ts'

const rules: NotificationRules = {
  classes: ['site.down'],
  minimum_severity: 'warning',
  time_zone: 'Europe/Berlin',
  quiet_hours: { from: '22:00', to: '07:00' },
  digest: { every: 'day', at: '08:00' },
}
const mail: NotificationDestination = {
  id: '1',
  name: 'Mail',
  is_enabled: true,
  target: {
    kind: 'email',
    host: 'mail.example.org',
    port: 465,
    security: 'tls',
    username: 'ada',
    from: 'hearth@example.org',
    to: ['ada@example.org', 'bob@example.org'],
    has_secret: true,
  },
  rules,
  last_attempt_at: null,
  last_error: null,
  waiting: 0,
}

test('a stored destination that is saved unchanged keeps its values and its secret', () => {
  const { has_secret: _, ...target } = mail.target
  assert.deepEqual(valuesOf(formOf(mail)), { name: 'Mail', is_enabled: true, target, rules })
})

test('a new password is sent, and a user name that was removed is null', () => {
  const form = formOf(mail)
  const changed = valuesOf({ ...form, password: 'new', to: 'ada@example.org;  carl@example.org' }).target
  assert.ok(changed.kind === 'email')
  assert.deepEqual([changed.password, changed.to], ['new', ['ada@example.org', 'carl@example.org']])
  const anonymous = valuesOf({ ...form, username: '' }).target
  assert.ok(anonymous.kind === 'email')
  assert.equal(anonymous.username, null)
})

test('a new webhook has a secret of its own', () => {
  assert.match(newSigningSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(newSigningSecret(), newSigningSecret())
  const { target } = valuesOf({ ...blankForm('UTC'), name: 'Hook', url: ' https://example.org ' })
  assert.ok(target.kind === 'webhook')
  assert.equal(target.url, 'https://example.org')
  assert.match(target.secret ?? '', /^whsec_/)
})

test('problems of the server stand at the inputs of the form', () => {
  const fields = [
    { path: 'target.url', code: 'invalid', message: 'must start with https:// or http://' },
    { path: 'rules.quiet_hours.to', code: 'invalid', message: 'must differ from the begin' },
    { path: 'target.to.0', code: 'invalid', message: 'must be an e-mail address' },
  ]
  const error = atInputs(new ApiError('wrong', { status: 422, details: { fields } }))
  assert.ok(error instanceof ApiError)
  assert.deepEqual(
    error.fields.map(({ path }) => path),
    ['url', 'quiet_to', 'to'],
  )
})

test('a row says which events a destination gets and when', () => {
  const classes = ['site.down', 'drift', 'backup.failed'].map((id) => {
    return { id, group: '', label: `Label of ${id}`, severity: 'warning' } as const
  })
  assert.equal(eventsText(rules, classes), 'Label of site.down, warning and up')
  assert.equal(eventsText({ ...rules, classes: null, minimum_severity: 'info' }, classes), 'All events')
  assert.equal(eventsText({ ...rules, classes: null, minimum_severity: 'critical' }, classes), 'All events, critical')
  const three = classes.map(({ id }) => id)
  assert.equal(eventsText({ ...rules, classes: three, minimum_severity: 'info' }, classes), '3 of 3 events')
  assert.equal(timesText(rules), 'Daily at 08:00, quiet 22:00–07:00')
  assert.equal(timesText({ ...rules, quiet_hours: null, digest: { every: 'message' } }), 'At once')
})
