export { createAddressSet, networkList, type AddressSet } from './address-set.ts'
export { plainAddress } from './plain-address.ts'
export { allowanceHeaders, createBudget, type Allowance, type Budget } from './budget.ts'
export { addressGroup, clientAddress, type ForwardingTrust, type ServerEnd } from './client-address.ts'
export { describeApi } from './describe-api.ts'
export { documentRoutes, type PublishedDocument } from './document-routes.ts'
export { escapeMarkup } from './escape-markup.ts'
export { noEnvelope, type Envelope } from './envelope.ts'
export type { ErrorAnswer } from './error-answers.ts'
export { HttpError, type HttpErrorReason, type FieldIssue, type RequestPart } from './http-error.ts'
export { phraseOfZodIssue } from './issue-phrase.ts'
export { limitConnections } from './limit-connections.ts'
export type { ApiDescription } from './openapi.ts'
export {
  FileForm,
  routeFor,
  seeOther,
  type Call,
  type Content,
  type Method,
  type InvalidBody,
  type Route,
  type RouteSpec,
  type Success,
  type UploadBody,
  type UploadedFile,
} from './route.ts'
export type { QuickAnswer, Shortcut } from './shortcut.ts'
export { createServer } from './create-server.ts'
export type { GuardedRequest, ServerOptions } from './server.ts'
