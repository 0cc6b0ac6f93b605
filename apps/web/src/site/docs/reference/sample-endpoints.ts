/**
 * The four sample endpoints and the sample sign-up call that the specification documents. They are samples: each has
 * the real path beside it, or the words that there is none yet.
 */
export interface SampleEndpoint {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly description: string
  readonly category: 'Instances' | 'Functions' | 'Storage' | 'Authentication'
  readonly example: string
  /** Null: nothing answers there; it is planned. */
  readonly real: { readonly method: string; readonly path: string; readonly href: string } | null
}

const bearer = '-H "Authorization: Bearer $INGOT_API_KEY"'
const json = '-H "Content-Type: application/json"'

export const sampleEndpoints: readonly SampleEndpoint[] = [
  {
    method: 'POST',
    path: '/v1/instances',
    description: 'Create a new GPU instance',
    category: 'Instances',
    example: `curl -X POST "$INGOT_URL/v1/instances" \\\n  ${bearer} \\\n  ${json} \\\n  -d '{ "name": "my-instance", "gpu_type": "A40" }'`,
    real: { method: 'POST', path: '/v1/instances', href: '/docs/api/instances#create' },
  },
  {
    method: 'GET',
    path: '/v1/instances',
    description: 'List all GPU instances',
    category: 'Instances',
    example: `curl "$INGOT_URL/v1/instances" \\\n  ${bearer}`,
    real: { method: 'GET', path: '/v1/instances', href: '/docs/api/instances#list' },
  },
  {
    method: 'POST',
    path: '/v1/functions',
    description: 'Deploy a serverless function',
    category: 'Functions',
    example: `curl -X POST "$INGOT_URL/v1/functions" \\\n  ${bearer} \\\n  ${json} \\\n  -d '{ "name": "my-function", "timeout": 30 }'`,
    real: null,
  },
  {
    method: 'GET',
    path: '/v1/storage/buckets',
    description: 'List storage buckets',
    category: 'Storage',
    example: `curl "$INGOT_URL/v1/storage/buckets" \\\n  ${bearer}`,
    real: null,
  },
]

export const sampleSignUp: SampleEndpoint = {
  method: 'POST',
  path: '/auth/signup',
  description: 'Create an account with email and password',
  category: 'Authentication',
  example: `curl -X POST "$INGOT_URL/auth/signup" \\\n  ${json} \\\n  -d '{ "email": "ada@example.com", "password": "correct horse battery" }'`,
  real: { method: 'POST', path: '/auth/v1/signup', href: '/docs/account#over-http' },
}
