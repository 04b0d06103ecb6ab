import { z } from 'zod'
import { serviceNames } from './known-services.ts'

/** Another Hearth service of the installation. */
export const Neighbour = z
  .object({
    service: z.enum(serviceNames),
    state: z
      .enum(['running', 'not_ready'])
      .meta({ description: '`not_ready`: it answers, but cannot do its work at the moment' }),
    address: z.string().meta({ format: 'uri', description: 'Address for the browser that sent this request' }),
    portal: z
      .string()
      .nullable()
      .meta({ description: 'Address of the portal at which people sign in; of the sites service alone' }),
  })
  .meta({ id: 'Neighbour' })
export type Neighbour = z.infer<typeof Neighbour>

/** The other Hearth services that answer. */
export const NeighbourList = z.object({ services: z.array(Neighbour) }).meta({ id: 'NeighbourList' })
export type NeighbourList = z.infer<typeof NeighbourList>
