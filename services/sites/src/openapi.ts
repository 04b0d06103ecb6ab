import { withoutTokenRoutes } from '@hearth/accounts'
import { describeApi } from '@hearth/http'
import { about, aboutFor } from './about.ts'
import { allRoutes } from './routes.ts'

/** Returns the API's OpenAPI document. */
export const openapiDocument = describeApi(allRoutes, about)

/** Returns the document of a service without API tokens. */
export const documentWithoutTokens = describeApi(
  (features) => withoutTokenRoutes(allRoutes(features)),
  aboutFor({ hasApiTokens: false }),
)
