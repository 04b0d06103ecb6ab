import type { Route } from '@hearth/http'

/** Tag of the routes of API tokens. */
export const tokenTag = { name: 'API tokens', description: 'Keys for programs' } as const

/** The scheme of tokens in an OpenAPI document. */
export const tokenScheme = {
  token: { type: 'http', scheme: 'bearer', description: 'An API token, with the setting API_TOKENS=on.' },
} as const

/** Returns the routes that a service has while tokens are switched off. */
export const withoutTokenRoutes = (routes: readonly Route[]): Route[] =>
  routes.filter(({ spec }) => spec.tag !== tokenTag.name)
