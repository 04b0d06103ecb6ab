export { allocatedPerCall } from './allocation.ts'
export { assertAccessible, browserObstacle, screenshot, startBrowser, type TestBrowser } from './browser.ts'
export { brokenUploads, rawUpload, type BrokenUpload } from './broken-uploads.ts'
export { compressionProblems, rawReader } from './compression-problems.ts'
export { createCookieClient, nextAddress, type CookieClient, type RequestContent } from './cookie-client.ts'
export { eventually } from './eventually.ts'
export { readEvents, readEventStream, type StreamEvent } from './event-stream.ts'
export type { FootprintSubject } from './footprint-subject.ts'
export { freePort } from './free-port.ts'
export { impossibleTimes } from './impossible-times.ts'
export { openInProcess, openSession, type InProcess, type SignedIn } from './in-process.ts'
export { metricSamples } from './metric-samples.ts'
export { testMonitoring } from './monitoring.ts'
export { cachedFolder } from './cached-folder.ts'
export { openIdSettingCases } from './openid-settings.ts'
export { assertTransferBelow, measureTransfer, type Transfer } from './page-transfer.ts'
export {
  assertPagesUsable,
  assertUsable,
  assertUsableOn,
  everyScreen,
  replacePassword,
  settled,
  showOn,
  signIn,
  submitSignIn,
  visit,
  wideAndPhone,
} from './pages.ts'
export { createPostgresDatabase, postgresObstacle, startPostgres, type PostgresServer } from './postgres.ts'
export { prometheusObstacle, startPrometheus, type PrometheusServer } from './prometheus.ts'
export { childrenOf, readProcessMemory, type ProcessMemory } from './process-memory.ts'
export { promtoolObstacle, promtoolProblems } from './promtool.ts'
export { concurrentStatuses, onlyOne, runConcurrently, type ProcessEnd } from './concurrency.ts'
export { selfSignedCertificate } from './self-signed-certificate.ts'
export { sendRaw, type RawReply } from './send-raw.ts'
export { sendRequest, type Reply, type Sending } from './send-request.ts'
export {
  runCommand,
  startNewService,
  startProgram,
  startServiceProcess,
  type NewService,
  type RunningProgram,
  type ServiceProcess,
} from './service-process.ts'
export { kindOfSetting, wrongTexts } from './setting-kinds.ts'
export { testSettings, wrongAtStart, type ServiceSettings, type WrongCase } from './settings-conformance.ts'
export {
  createAuthenticator,
  openAuthenticator,
  type Deviation,
  type SavedAuthenticator,
  type SoftwareAuthenticator,
} from './software-authenticator.ts'
export { createRandom } from './random-numbers.ts'
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
export { testSeed } from './test-seed.ts'
export { temporaryDirectory } from './temporary-directory.ts'
export { unpackedPackage } from './unpacked-package.ts'
export { makeOlderData, testOlderData, type OlderData, type OlderDataRecipe } from './older-data.ts'
export {
  createPasskeyVisitor,
  testSignInMethods,
  type PasskeyVisitor,
  type SignInMethodFixture,
} from './test-sign-in-methods.ts'
export { testSignInMethodPages, type SignInPageFixture } from './test-sign-in-method-pages.ts'
export { autofillSwitch, plugIn, setAutofill, type VirtualAuthenticator } from './virtual-authenticator.ts'
export { createVisitor, type Visitor } from './visitor.ts'
export { startWebhookReceiver, type ReceivedWebhook, type WebhookReceiver } from './webhook-receiver.ts'
export { refusalProblems, type WrongPaths } from './wrong-settings.ts'
