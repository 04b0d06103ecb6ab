import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, eventually, wideAndPhone } from '@hearth/testing'
import { openTrial } from './browser-fixture.ts'
import { mosquittoObstacle, startBroker } from './mosquitto.ts'

const skip = browserObstacle() || mosquittoObstacle()

test('an administrator connects a broker, sees why it fails, and switches it off again', { skip }, async () => {
  const user = { name: 'hearth', password: 'only-the-broker-knows' }
  await using broker = await startBroker({ user })
  await using listener = await broker.listen()
  await using trial = await openTrial()
  const { fixture, page } = trial
  await page.goto(`${fixture.service.url}/mqtt`)
  await page.getByRole('region', { name: 'Connection' }).getByText('Off', { exact: true }).waitFor()
  await page.getByLabel('Address').fill(broker.url)
  await page.getByLabel('User name').fill(user.name)
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/refuses user name or password/).waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(user.password)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/^Connected to 127\.0\.0\.1/).waitFor()

  await page.getByRole('switch', { name: 'Publish to an MQTT broker' }).press('Space')
  await page.getByLabel('Interval').fill('5')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('MQTT settings saved').waitFor()
  const connection = page.getByRole('region', { name: 'Connection' })
  await connection.getByText('Connected', { exact: true }).waitFor()
  await eventually(
    () => listener.state().get('hearth/simulated/battery_soc/state'),
    (text) => Number(text) > 0,
    { what: 'a value at the broker', seconds: 60 },
  )
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-mqtt' })

  // The page follows the connection by itself, and says what is wrong.
  await broker.stop()
  await connection.getByText('Not connected', { exact: true }).waitFor()
  await connection.getByText(/nothing listens at this address/).waitFor()
  await page.getByLabel('Address').fill('mqtts://localhost')
  await page.getByLabel('CA certificate').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-mqtt-away' })
  await page.getByLabel('Address').fill(broker.url)
  await broker.start()
  await connection.getByText('Connected', { exact: true }).waitFor({ timeout: 60_000 })

  await page.getByLabel('Address').fill('http://broker')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText(/must be mqtt:\/\/HOST/i).waitFor()
  await page.getByLabel('Address').fill(broker.url)
  await page.getByRole('switch', { name: 'Publish to an MQTT broker' }).press('Space')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await connection.getByText('Off', { exact: true }).waitFor()
  assert.equal(await page.getByText(user.password).count(), 0)
})
