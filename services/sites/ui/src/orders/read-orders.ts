import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Schemas } from '../api.ts'

export type Order = Schemas['CertificateOrder']
export type DnsProvider = Schemas['DnsProvider']
export type DnsProviderKind = Schemas['DnsProviderKind']

/** The ordered certificates; events keep them fresh. */
export const useOrders = (isWanted = true) =>
  useQuery({
    queryKey: [...keys.orders, 'all'],
    queryFn: () => answer(api.GET('/api/certificate-orders')),
    enabled: isWanted,
  })

/** One ordered certificate; events keep it fresh. */
export const useOrder = (id: string) =>
  useQuery({
    queryKey: [...keys.orders, 'one', id],
    queryFn: () => answer(api.GET('/api/certificate-orders/{id}', { params: { path: { id } } })),
  })

/** The DNS providers, and the kinds there are. */
export const useDnsProviders = () =>
  useQuery({ queryKey: keys.dnsProviders, queryFn: () => answer(api.GET('/api/dns-providers')) })
