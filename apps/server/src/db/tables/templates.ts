import type { ProposedTemplate } from '@ingot/contracts/admin/template-reviews'
import type { Generated } from 'kysely'
import type { GeneratedJson, Json } from './json.ts'

export interface TemplatesTables {
  gpu_templates: {
    id: string
    name: string
    description: string
    category: string
    docker_image: string
    features: Generated<string[]>
    popular: Generated<boolean>
    is_public: Generated<boolean>
    created_at: Generated<string>
    owner: string | null
    command: string[] | null
    env: GeneratedJson<Record<string, string>>
    ports: Generated<number[]>
    registry_credentials: Buffer | null
    network: Generated<boolean>
    secrets: Buffer | null
    secret_names: Generated<string[]>
    disk_gb: number | null
    readme: Generated<string>
    link_key: string | null
    origin: string | null
  }
  template_review: {
    id: string
    template_id: string
    user_id: string
    version: number
    proposed: Json<ProposedTemplate>
    status: Generated<'pending' | 'approved' | 'replaced' | 'rejected' | 'withdrawn'>
    reason: string | null
    decided_by: string | null
    created_at: string
    decided_at: string | null
  }
  instance_template: {
    instance_id: string
    docker_image: string
    command: string[] | null
    env: Json<Record<string, string>>
    ports: number[]
    registry_credentials: Buffer | null
    network: boolean
    secrets: Buffer | null
    quick_ends: Generated<number>
  }
}
