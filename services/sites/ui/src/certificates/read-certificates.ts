import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'
import { useOrders } from '../orders/read-orders.ts'
import { uploadLabel } from './certificate-words.ts'

type Schemas = components['schemas']
export type CertificateList = Schemas['CertificateList']
export type HostCertificate = Schemas['HostCertificate']
export type CertificateGrade = Schemas['CertificateGrade']
export type GradeHistory = Schemas['GradeHistory']
export type UploadedCertificate = Schemas['UploadedCertificate']
export type HistoryRange = GradeHistory['range_key']

/** The certificates hosts show; events keep them fresh. */
export const useCertificates = () =>
  useQuery({
    queryKey: [...keys.certificates, 'hosts'],
    queryFn: () => answer(api.GET('/api/v1/certificates')),
  })

/** Grades by the week. */
export const useGradeHistory = (range: HistoryRange) =>
  useQuery({
    queryKey: [...keys.certificates, 'grades', range],
    queryFn: () => answer(api.GET('/api/v1/certificates/grades', { params: { query: { range_key: range } } })),
  })

/** Certificates people brought themselves. */
export const useUploads = (isWanted = true) =>
  useQuery({
    queryKey: [...keys.certificates, 'uploads'],
    queryFn: () => answer(api.GET('/api/certificates')),
    enabled: isWanted,
  })

/** Own certificates or authorities as options of a select. */
export function useUploadOptions(kind: UploadedCertificate['kind'], isWanted = true) {
  const { data } = useUploads(isWanted)
  const orders = useOrders(isWanted && kind === 'certificate')
  const fitting = (data?.certificates ?? []).filter((upload) => upload.kind === kind)
  return fitting.map((upload) => {
    const order = orders.data?.orders.find(({ id }) => id === upload.order_id)
    return { value: upload.id, label: uploadLabel(upload, order?.state === 'revoked') }
  })
}
