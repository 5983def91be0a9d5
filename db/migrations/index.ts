import type { Migration } from 'kysely'
import * as users from './0001_users.js'
import * as content from './0002_content.js'
import * as learning from './0003_learning.js'
import * as derivedColumns from './0004_derived_columns.js'
import * as quizPositions from './0005_quiz_positions.js'
import * as search from './0006_search.js'
import * as writing from './0007_writing.js'
import * as learningFit from './0008_learning_fit.js'
import * as tests from './0009_tests.js'
import * as deactivation from './0010_deactivation.js'
import * as resultsKeep from './0011_results_keep.js'
import * as email from './0012_email.js'
import * as teams from './0013_teams.js'
import * as assignments from './0014_assignments.js'
import * as proofs from './0015_proofs.js'
import * as mail from './0016_mail.js'
import * as calendars from './0017_calendars.js'
import * as accesses from './0018_accesses.js'
import * as corrections from './0019_corrections.js'
import * as personNames from './0020_person_names.js'
import * as questionReports from './0021_question_reports.js'
import * as formVersions from './0022_form_versions.js'
import * as formRequests from './0023_form_requests.js'
import * as tableLayouts from './0024_table_layouts.js'
import * as comments from './0025_comments.js'
import * as certificateComment from './0026_certificate_comment.js'
import * as personnelNumbers from './0027_personnel_numbers.js'
import * as cardDifficulties from './0028_card_difficulties.js'
import * as missedPeriods from './0029_missed_periods.js'
import * as paths from './0030_paths.js'
import * as unusedWords from './0031_unused_words.js'
import * as auditors from './0033_auditors.js'
import * as proofSearch from './0034_proof_search.js'
import * as setupSteps from './0036_setup_steps.js'
import * as putOffCards from './0038_put_off_cards.js'
import * as translations from './0039_translations.js'
import * as externalIds from './0040_external_ids.js'
import * as languages from './0041_languages.js'
import * as chosenLanguages from './0042_chosen_languages.js'
import * as checkedTranslations from './0043_checked_translations.js'
import * as partLanguages from './0044_part_languages.js'
import * as providerConfirmations from './0045_provider_confirmations.js'
import * as webhooks from './0046_webhooks.js'
import * as scim from './0047_scim.js'
import * as changes from './0048_changes.js'
import * as restoredWebhooks from './0049_restored_webhooks.js'

/** All migrations by name; names sort in the order of application and never change once released. */
export const migrations: Record<string, Migration> = {
  '0001_users': users,
  '0002_content': content,
  '0003_learning': learning,
  '0004_derived_columns': derivedColumns,
  '0005_quiz_positions': quizPositions,
  '0006_search': search,
  '0007_writing': writing,
  '0008_learning_fit': learningFit,
  '0009_tests': tests,
  '0010_deactivation': deactivation,
  '0011_results_keep': resultsKeep,
  '0012_email': email,
  '0013_teams': teams,
  '0014_assignments': assignments,
  '0015_proofs': proofs,
  '0016_mail': mail,
  '0017_calendars': calendars,
  '0018_accesses': accesses,
  '0019_corrections': corrections,
  '0020_person_names': personNames,
  '0021_question_reports': questionReports,
  '0022_form_versions': formVersions,
  '0023_form_requests': formRequests,
  '0024_table_layouts': tableLayouts,
  '0025_comments': comments,
  '0026_certificate_comment': certificateComment,
  '0027_personnel_numbers': personnelNumbers,
  '0028_card_difficulties': cardDifficulties,
  '0029_missed_periods': missedPeriods,
  '0030_paths': paths,
  '0031_unused_words': unusedWords,
  '0033_auditors': auditors,
  '0034_proof_search': proofSearch,
  '0036_setup_steps': setupSteps,
  '0038_put_off_cards': putOffCards,
  '0039_translations': translations,
  '0040_external_ids': externalIds,
  '0041_languages': languages,
  '0042_chosen_languages': chosenLanguages,
  '0043_checked_translations': checkedTranslations,
  '0044_part_languages': partLanguages,
  '0045_provider_confirmations': providerConfirmations,
  '0046_webhooks': webhooks,
  '0047_scim': scim,
  '0048_changes': changes,
  '0049_restored_webhooks': restoredWebhooks,
}
