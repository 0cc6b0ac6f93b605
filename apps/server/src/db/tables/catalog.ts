import type { Generated } from 'kysely'

export interface CatalogTables {
  gpu_type: {
    name: string
    patterns: Generated<string[]>
    memory_gb: number
    vcpus: number
    ram_gb: number
    is_on_sale: Generated<boolean>
    position: number
  }
  gpu_price: {
    gpu_type: string
    holds_from: string
    hourly_micro: bigint
    three_months_micro: bigint
    year_micro: bigint
  }
  region: {
    name: string
    has_volumes: Generated<boolean>
    is_on_sale: Generated<boolean>
    position: number
  }
}
