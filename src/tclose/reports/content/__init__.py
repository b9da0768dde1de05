"""Each result told once as a document: audits, reports, releases, frontiers, profiles and explanations."""
