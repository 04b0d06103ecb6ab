import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { identityOf } from './identity.ts'

const rules = { allowedGroups: 'everyone', adminGroups: [], groupsClaim: 'groups' } as const
const usernameOf = (claims: object) =>
  identityOf({ iss: 'https://id.example.org', sub: 's', ...claims }, rules).username

test('a user name is made of the name at the provider, else of the e-mail address', () => {
  const wanted: [object, string][] = [
    [{ preferred_username: 'maria' }, 'maria'],
    [{ preferred_username: 'Zoë.O’Neil@example.org' }, 'zoe.o-neil'],
    [{ preferred_username: '--a..b__c--' }, 'a-b-c'],
    [{ preferred_username: 'a', email: 'anna@example.org' }, 'anna'],
    [{ name: 'Anna Maria Berg' }, 'anna-maria-berg'],
    [{ preferred_username: 'x'.repeat(80) }, 'x'.repeat(50)],
  ]
  for (const [claims, name] of wanted) assert.equal(usernameOf(claims), name)
  assert.match(usernameOf({}), /^user-[0-9a-f]{8}$/)
  assert.match(usernameOf({ preferred_username: 7, email: '  ', name: '北京' }), /^user-[0-9a-f]{8}$/)
})

test('what is no e-mail address is left out, and a subject that no database holds is refused', () => {
  const read = (claims: object) => identityOf({ iss: 'https://id.example.org', sub: 's', ...claims }, rules)
  assert.equal(read({ email: 'Maria@Example.org' }).email, 'maria@example.org')
  for (const email of ['maria', 'a@b\0', 7, `${'a'.repeat(300)}@example.org`])
    assert.equal(read({ email }).email, undefined)
  for (const sub of ['a\0b', 'x'.repeat(256)]) assert.throws(() => read({ sub }), /subject/)
})

test('whatever a provider states, the user name is valid', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (preferred_username, email) => {
      assert.match(usernameOf({ preferred_username, email }), /^(?=.{3,64}$)[a-z0-9]+(?:[._-][a-z0-9]+)*$/)
    }),
  )
})
